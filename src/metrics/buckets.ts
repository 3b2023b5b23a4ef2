import { GAP_BOUNDS_MS } from '../meter/gaps.ts';

/**
 * Upper bounds of histogram buckets, in the unit of the metric. Dense where people set targets: a
 * quantile is interpolated inside one bucket, so its error is at most that bucket's width. Each
 * bound costs one line per label set and scrape, and 50 sets must stay under 2 MB.
 */

/** A cached prompt answers in milliseconds, a long queue in minutes (FAULTS B104); 0.1 … 5 are the usual targets. */
export const TTFT_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 7.5, 10,
  15, 30, 60, 120, 300,
] as const;

/** Half a millisecond is 2,000 tokens per second for one user; 0.1 s is slower than one reads aloud. */
export const TPOT_SECONDS = [
  0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.075,
  0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5,
] as const;

/** Dense from 1 to 500: low is bad here, so the low end must be as exact as the high one. */
export const SPEED_TOKENS_PER_SECOND = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100, 120, 150, 200, 250, 300, 400, 500,
  1_000, 2_000,
] as const;

export const LONGEST_GAP_SECONDS = [
  0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 60, 300,
] as const;

/** To an hour: long generations must not all land above the last bound. */
export const E2E_SECONDS = [
  0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200, 1_800, 3_600,
] as const;

/** Coarser than TTFT: it says whether the server answers at all, and nobody sets targets for it. */
export const TTFB_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300] as const;

/** Reasoning comes before the answer and may take minutes (FAULTS B35: 180 s). */
export const TTFA_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120, 180, 300, 600] as const;

export const INTER_CHUNK_SECONDS: readonly number[] = GAP_BOUNDS_MS.map((ms) => ms / 1000);

/** By doubling: lengths spread over orders of magnitude. A chat template alone takes a dozen tokens. */
export const INPUT_TOKENS = [
  32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576,
] as const;
export const OUTPUT_TOKENS = [
  1, 4, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072,
] as const;

export const CHARACTERS_PER_SECOND = [
  5, 10, 20, 30, 40, 60, 80, 100, 150, 200, 250, 300, 400, 500, 750, 1_000, 1_500, 2_000, 4_000, 8_000,
] as const;

export const PREFILL_TOKENS_PER_SECOND = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
] as const;

/** The gateway promises well under a millisecond: microseconds are worth seeing, a second is a fault. */
export const RELAY_DELAY_SECONDS = [
  0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1,
] as const;

export const GC_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1] as const;

/** As the OpenTelemetry GenAI conventions advise (gen-ai-metrics.md), also where they are too coarse or end too early. */
export const OTEL_TTFT_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const;
export const OTEL_TPOT_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5] as const;
export const OTEL_DURATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const;
export const OTEL_TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
] as const;

/** The bounds of a histogram with the configured targets among them, rising and each once. */
export function withTargets(buckets: readonly number[], targets: readonly number[]): readonly number[] {
  const bounds = new Set(buckets);
  for (const target of targets) if (Number.isFinite(target) && target > 0) bounds.add(target);
  return [...bounds].sort((a, b) => a - b);
}
