import { counted } from '../text/counted.ts';
import { rate, whole } from '../text/format.ts';
import { duration } from '../text/time.ts';
import type { Curve, CurvePoint } from './curve-points.ts';

/** One point in a line: where it is, and what it rests on. */
export function pointSentence({ concurrency, throughput, speed, ttftP95, windows }: CurvePoint): string {
  const ttft = ttftP95 === null ? '' : `, TTFT p95 ${duration(ttftP95 * 1_000)}`;
  return `${whole(concurrency)} at once: ${rate(throughput)} tok/s in all, ${rate(speed)} per user${ttft} (${counted(windows, 'window')})`;
}

/** The point that counts: the most throughput at which every SLO was kept, or why there is none. */
export function maxSentence({ max_under_slo: most, bins }: Pick<Curve, 'max_under_slo' | 'bins'>): string {
  if (most === null || most.throughput === null) {
    const windows = bins.reduce((sum, bin) => sum + bin.windows, 0);
    return `Max under SLO: not known yet. It wants an SLO that is kept at one concurrency over 30 windows of 5 s and 200 first tokens (${counted(windows, 'window')} so far, of all)`;
  }
  return `Max under SLO: ${rate(most.throughput.p50)} tok/s at ${whole(most.concurrency)} at once (${counted(most.windows, 'window')})`;
}

export function curveSummary(curve: Curve, points: readonly CurvePoint[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'Operating curve: nothing was observed yet.';
  const span = first === last ? pointSentence(first) : `From ${pointSentence(first)}; to ${pointSentence(last)}`;
  return `Operating curve of ${curve.upstream}, per-user speed against system throughput. ${span}. ${maxSentence(curve)}.`;
}
