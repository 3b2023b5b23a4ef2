import type { DemoView } from '../../src/demo/view.ts';

const CONDITIONS = {
  input_tokens_per_second: 900,
  concurrency: { total: 23, prefill: 3, decode: 18, unstreamed: 2 },
  input_tokens: { p5: 70, p50: 350, p95: 1_700 },
  output_tokens: { p5: 45, p50: 130, p95: 360 },
};

const NO_CONDITIONS = {
  input_tokens_per_second: 0,
  concurrency: { total: 0, prefill: 0, decode: 0, unstreamed: 0 },
  input_tokens: null,
  output_tokens: null,
};

const UPSTREAM = {
  name: 'demo-engine',
  up: true,
  state: 'flowing',
  in_flight: 23,
  tokens_per_second: 1234.4,
  ...CONDITIONS,
  conditions: { gpu: 'simulated' },
  gpus: 1,
  tokens_per_second_per_gpu: 1234.4,
  models: [],
  floor: null,
  max_under_slo: [],
  saturation_concurrency: null,
  cost: null,
} as const;

/** A minute in which the load went up, as the screen would be given it. */
export const EXAMPLE_VIEW: DemoView = {
  snapshot: {
    time: '2026-03-01T12:00:00.000Z',
    gateway: { version: '1.2.3', started_at: '2026-03-01T11:58:37.000Z', workers: 1, simulation: true },
    status_text: '23 generations in flight, 1,234 tokens per second.',
    running_speed: null,
    requests: [],
    failures: [],
    failure_counts: [],
    slos: [],
    cost: null,
    estimated: { finished: null, running: null },
    throughput: {
      tokens_per_second: { '1s': 951, '10s': 1234.4, '60s': 812.2 },
      tokens_per_second_per_gpu: null,
      conditions: CONDITIONS,
    },
    user_speed: { p10: 31.22, p50: 40.16 },
    user_characters_per_second: { p10: 125.1, p50: 161.2 },
    ttft: { p50_ms: 84.3, p95_ms: 1231.1 },
    in_flight: { prefill: 3, decode: 18, unstreamed: 2 },
    requests_total: 12_345,
    users: [],
    goodput: [],
    local_counts: { counted: 0, extrapolated: 0, fell_back: 0 },
    upstreams: [{ ...UPSTREAM, models: [], max_under_slo: [] }],
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
    throughput: {
      tokens_per_second: { '1s': null, '10s': null, '60s': null },
      tokens_per_second_per_gpu: null,
      conditions: NO_CONDITIONS,
    },
    user_speed: null,
    user_characters_per_second: null,
    ttft: null,
    in_flight: { prefill: 0, decode: 0, unstreamed: 0 },
    requests_total: 0,
    upstreams: [
      {
        ...UPSTREAM,
        ...NO_CONDITIONS,
        models: [],
        max_under_slo: [],
        up: null,
        state: 'idle',
        in_flight: 0,
        tokens_per_second: 0,
        tokens_per_second_per_gpu: 0,
      },
    ],
    status: 'idle',
  },
  history: { throughput: Array(60).fill(null), userSpeed: Array(60).fill(null) },
  engineTokensPerSecond: null,
};
