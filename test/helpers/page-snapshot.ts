import type { RequestSnapshot } from '../../src/live/request-snapshot.ts';
import type { Snapshot } from '../../src/live/snapshot-type.ts';
import type { ModelSnapshot, UpstreamSnapshot } from '../../src/live/upstream-snapshot.ts';

const CONDITIONS = {
  input_tokens_per_second: 0,
  concurrency: { total: 0, prefill: 0, decode: 0, unstreamed: 0 },
  input_tokens: null,
  output_tokens: null,
};

/** What `/api/snapshot` says of a gateway with one upstream and nothing to do, but for what a test gives. */
export function snapshotWith(given: Partial<Snapshot> = {}): Snapshot {
  return {
    time: '2026-01-02T03:04:05.678Z',
    gateway: { version: '1.2.3', started_at: '2026-01-02T00:00:00.000Z', workers: 1, simulation: false },
    status: 'idle',
    status_text: 'Nothing is in flight.',
    throughput: {
      tokens_per_second: { '1s': 0, '10s': 0, '60s': 0 },
      tokens_per_second_per_gpu: null,
      conditions: CONDITIONS,
    },
    user_speed: null,
    user_characters_per_second: null,
    running_speed: null,
    ttft: null,
    in_flight: { prefill: 0, decode: 0, unstreamed: 0 },
    requests: [],
    requests_total: 0,
    upstreams: [upstreamWith()],
    users: [],
    failures: [],
    failure_counts: [],
    goodput: [],
    slos: [],
    cost: null,
    estimated: { finished: null, running: null },
    local_counts: { counted: 0, extrapolated: 0, fell_back: 0 },
    ...given,
  };
}

export function upstreamWith(given: Partial<UpstreamSnapshot> = {}): UpstreamSnapshot {
  return {
    ...CONDITIONS,
    name: 'a',
    up: true,
    state: 'idle',
    in_flight: 0,
    tokens_per_second: 0,
    conditions: {},
    gpus: null,
    tokens_per_second_per_gpu: null,
    models: [],
    floor: null,
    max_under_slo: [],
    saturation_concurrency: null,
    cost: null,
    ...given,
  };
}

export function requestWith(given: Partial<RequestSnapshot> = {}): RequestSnapshot {
  return {
    id: 'r1',
    user: 'ann',
    model: 'm',
    upstream: 'a',
    workload: 'default',
    phase: 'decode',
    tokens: 12,
    is_estimated: false,
    speed: 40,
    age_ms: 2_000,
    decode_ms: 1_500,
    ...given,
  };
}

export function modelWith(given: Partial<ModelSnapshot> = {}): ModelSnapshot {
  return {
    ...CONDITIONS,
    model: 'm',
    tokens_per_second: 0,
    active_tokens_per_second: null,
    speed: null,
    ttft_ms: null,
    tpot_ms: null,
    longest_gap_ms: null,
    ...given,
  };
}
