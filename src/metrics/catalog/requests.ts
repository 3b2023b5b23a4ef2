import { E2E_SECONDS } from '../buckets.ts';
import { M, type MetricEntry, W } from './entry.ts';

/** Requests: how many, how they ended, how many at once. */
export const REQUESTS = {
  requests: {
    name: 'pitot_requests_total',
    type: 'counter',
    labels: [...W, 'api', 'status', 'outcome'],
    addsUp: 'sum',
    unit: 'requests',
    help: 'Finished requests, each with exactly one outcome (CONTRACT 6.7). status is the code sent to the client, 499 if it left before any.',
  },
  meteredRequests: {
    name: 'pitot_metered_requests_total',
    type: 'counter',
    labels: [...M, 'source'],
    addsUp: 'sum',
    unit: 'requests',
    help: 'Finished generations by where their output count comes from: reported, partial, estimated or none (CONTRACT 6.4).',
  },
  requestsInFlight: {
    name: 'pitot_requests_in_flight',
    type: 'gauge',
    labels: [...W, 'phase'],
    addsUp: 'sum',
    unit: 'requests',
    help: 'Concurrency now: generations in flight by phase; prefill is streamed without a token yet, decode after the first, unstreamed for its whole life (CONTRACT 1).',
  },
  requestPhaseSeconds: {
    name: 'pitot_request_phase_seconds_total',
    type: 'counter',
    labels: [...W, 'phase'],
    addsUp: 'sum',
    unit: 'request seconds',
    help: 'Integral of concurrency over time by phase; its rate is the mean concurrency of a window (CONTRACT 1).',
  },
  requestDuration: {
    name: 'pitot_request_duration_seconds',
    type: 'histogram',
    labels: W,
    buckets: E2E_SECONDS,
    target: 'e2e',
    addsUp: 'sum',
    unit: 'seconds',
    help: 'E2E: request head received to the last byte relayed, or to the moment it was cut (CONTRACT 1).',
  },
} as const satisfies Record<string, MetricEntry>;
