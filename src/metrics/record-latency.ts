import type { FinishedRequest, FirstTokenSink } from '../meter/finished.ts';
import type { LabelNames, LabelValues } from './catalog/entry.ts';
import { LATENCY } from './catalog/latency.ts';
import type { MetricSet } from './metric-set.ts';
import type { PlainHistogram } from './plain.ts';
import { type Recording, seconds, secondsOrNull, valuesM, valuesW } from './recording.ts';

export interface LatencyRecording extends Recording {
  /** TTFT is observed when the token comes, not when a long stream ends; so `finished` leaves it alone. */
  readonly firstToken: FirstTokenSink;
}

/** How fast one request was served. What is null was not there to be measured, and is not observed. */
export function recordLatency(set: MetricSet): LatencyRecording {
  const ttft = set.histogram(LATENCY.timeToFirstToken);
  const tpot = set.histogram(LATENCY.timePerOutputToken);
  const speed = set.histogram(LATENCY.userSpeed);
  const longestGap = set.histogram(LATENCY.longestGap);
  const ttfb = set.histogram(LATENCY.timeToFirstByte);
  const ttfa = set.histogram(LATENCY.timeToFirstAnswer);
  const interChunk = set.histogram(LATENCY.interChunk);

  return {
    firstToken(labels, ttftMs) {
      observe(ttft, valuesW(labels), seconds(ttftMs));
    },
    seen({ labels, generates }) {
      if (!generates) return;
      for (const histogram of [ttft, tpot, speed, longestGap]) histogram.row(valuesW(labels));
      for (const histogram of [ttfb, ttfa, interChunk]) histogram.row(valuesM(labels));
    },
    finished({ record, labels, gaps, slowClient }) {
      observe(ttfb, valuesM(labels), secondsOrNull(record.ttfb_ms));
      observe(ttfa, valuesM(labels), secondsOrNull(record.ttfa_ms));
      // A client that reads slowly is not the engine's fault (CONTRACT §6.10).
      if (slowClient) return;
      observe(tpot, valuesW(labels), secondsOrNull(record.tpot_ms));
      observe(speed, valuesW(labels), record.user_speed_tokens_per_second);
      observe(longestGap, valuesW(labels), secondsOrNull(record.longest_gap_ms));
      if (gaps !== null) interChunk.addBins(interChunk.row(valuesM(labels)), gaps.counts, seconds(gaps.sumMs));
    },
  };
}

/** The histograms of `metrics.extra`. */
export function recordExtraSpeeds(set: MetricSet): Recording {
  const endToEnd = set.histogram(LATENCY.endToEndSpeed);
  const characters = set.histogram(LATENCY.charactersPerSecond);
  const prefill = set.histogram(LATENCY.prefillSpeed);

  return {
    seen({ labels, generates }) {
      if (generates) for (const histogram of [endToEnd, characters, prefill]) histogram.row(valuesM(labels));
    },
    finished(finished) {
      const { record, labels } = finished;
      observe(prefill, valuesM(labels), prefillSpeed(finished));
      if (finished.slowClient) return;
      observe(endToEnd, valuesM(labels), record.end_to_end_speed_tokens_per_second);
      observe(characters, valuesM(labels), record.characters_per_second);
    },
  };
}

/** Tokens per second; null where input or first token are unknown, or all of the input was cached. */
function prefillSpeed({ record }: FinishedRequest): number | null {
  if (record.input_tokens === null || record.ttft_ms === null || record.ttft_ms <= 0) return null;
  const uncached = record.input_tokens - (record.cached_input_tokens ?? 0);
  return uncached > 0 ? uncached / seconds(record.ttft_ms) : null;
}

function observe<L extends LabelNames>(
  histogram: PlainHistogram<L>,
  values: LabelValues<L>,
  value: number | null,
): void {
  if (value !== null) histogram.observe(histogram.row(values), value);
}
