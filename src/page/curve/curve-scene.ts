import type { Snapshot } from '../../live/snapshot-type.ts';
import type { UpstreamSnapshot } from '../../live/upstream-snapshot.ts';
import type { CurvePoint } from './curve-points.ts';

/** All that the picture shows, in figures. */
export interface CurveScene {
  points: readonly CurvePoint[];
  /** The concurrency of the max-under-SLO point; null where there is none. */
  maxConcurrency: number | null;
  /** What the SLO asks of per-user speed; null where it asks nothing. */
  leastSpeed: number | null;
  /** Where the upstream stands at this moment; null while nothing flows. */
  now: { throughput: number; speed: number } | null;
}

export const EMPTY_SCENE: CurveScene = { points: [], maxConcurrency: null, leastSpeed: null, now: null };

/**
 * Per-user speed at this moment: of the streams that run, where all of them are of this upstream and model; else of
 * what ended in the last minute, which follows the throughput by as much.
 */
export function speedNow(
  { upstreams, running_speed: running }: Pick<Snapshot, 'upstreams' | 'running_speed'>,
  upstream: Pick<UpstreamSnapshot, 'models'>,
  model: string,
): number | null {
  const isOnly = upstreams.length === 1 && upstream.models.length === 1;
  if (isOnly && running !== null) return running.p50;
  return upstream.models.find((one) => one.model === model)?.speed?.p50 ?? null;
}

const HEADROOM = 1.1;
const NO_MEASURE = 1;

export function throughputRange({ points, now }: CurveScene): [number, number] {
  return [0, top([...points.map(({ throughput }) => throughput), now?.throughput ?? 0])];
}

export function speedRange({ points, now, leastSpeed }: CurveScene): [number, number] {
  return [0, top([...points.map(({ speed }) => speed), now?.speed ?? 0, leastSpeed ?? 0])];
}

function top(values: readonly number[]): number {
  const highest = Math.max(0, ...values);
  return highest > 0 ? highest * HEADROOM : NO_MEASURE;
}

/** The point nearest to a place in pixels, no further than a finger. */
export function nearest<Point>(points: readonly Point[], distanceOf: (point: Point) => number): Point | null {
  let best: { point: Point; distance: number } | null = null;
  for (const point of points) {
    const distance = distanceOf(point);
    if (distance <= FINGER_PX && (best === null || distance < best.distance)) best = { point, distance };
  }
  return best?.point ?? null;
}

const FINGER_PX = 28;
