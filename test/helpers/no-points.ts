import type { PointSeries } from '../../src/live/stream-type.ts';

/** Every series of the history, and no second of it. */
export const NO_POINTS: PointSeries = {
  throughput: [],
  throughput_per_gpu: [],
  prefill: [],
  decode: [],
  unstreamed: [],
  user_speed_p10: [],
  user_speed_p50: [],
  ttft_p50_ms: [],
  ttft_p95_ms: [],
  good_requests: [],
  good_tokens: [],
};
