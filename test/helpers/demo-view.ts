import type { DemoView } from '../../src/demo/view.ts';

/** A minute in which the load went up, as the screen would be given it. */
export const EXAMPLE_VIEW: DemoView = {
  snapshot: {
    time: '2026-03-01T12:00:00.000Z',
    throughput: {
      tokens_per_second: { '1s': 951, '10s': 1234.4, '60s': 812.2 },
      tokens_per_second_per_gpu: null,
    },
    user_speed: { p10: 31.22, p50: 40.16 },
    ttft: { p50_ms: 84.3, p95_ms: 1231.1 },
    in_flight: { prefill: 3, decode: 18, unstreamed: 2 },
    requests_total: 12_345,
    local_counts: { counted: 0, extrapolated: 0, fell_back: 0 },
    upstreams: [{ name: 'demo-engine', up: true, in_flight: 23, tokens_per_second: 1234.4 }],
    status: 'flowing',
  },
  history: {
    throughput: Array.from({ length: 60 }, (_, second) => (second < 20 ? null : second * 20)),
    userSpeed: Array.from({ length: 60 }, (_, second) => (second < 20 ? null : 120 - second)),
  },
  wantedConcurrency: 24,
  engineTokensPerSecond: 815.1,
  elapsedSeconds: 83,
  forSeconds: null,
  conditions: ['simulated engine: 24 slots', 'chat: 60–2,000 tokens in, 40–400 out, streamed'],
  urls: [
    { label: 'data port', url: 'http://127.0.0.1:8080/v1' },
    { label: 'metrics', url: 'http://127.0.0.1:9464/metrics' },
  ],
};

/** Before the first token: nothing is known yet. */
export const EMPTY_VIEW: DemoView = {
  ...EXAMPLE_VIEW,
  snapshot: {
    ...EXAMPLE_VIEW.snapshot,
    throughput: { tokens_per_second: { '1s': null, '10s': null, '60s': null }, tokens_per_second_per_gpu: null },
    user_speed: null,
    ttft: null,
    in_flight: { prefill: 0, decode: 0, unstreamed: 0 },
    requests_total: 0,
    upstreams: [{ name: 'demo-engine', up: null, in_flight: 0, tokens_per_second: null }],
    status: 'idle',
  },
  history: { throughput: Array(60).fill(null), userSpeed: Array(60).fill(null) },
  engineTokensPerSecond: null,
};
