import { describe, expect, it } from 'vitest';
import { type Situation, statusOf } from '../../../src/live/status.ts';
import type { UpstreamSnapshot } from '../../../src/live/upstream-snapshot.ts';
import { EXAMPLE_VIEW } from '../../helpers/demo-view.ts';

const [EXAMPLE] = EXAMPLE_VIEW.snapshot.upstreams;

function upstream(name: string, change: Partial<UpstreamSnapshot> = {}): UpstreamSnapshot {
  if (EXAMPLE === undefined) throw new Error('expected an upstream');
  return { ...EXAMPLE, name, state: 'idle', in_flight: 0, ...change };
}

const NOTHING = { prefill: 0, decode: 0, unstreamed: 0 };
const FLOOR = { output_tokens_per_second: 1_500, min_concurrency: 8, objective: 0.99, has_demand: true, share: 0.7999 };
const situation = (change: Partial<Situation>): Situation => ({
  isDraining: false,
  upstreams: [upstream('a')],
  in_flight: NOTHING,
  tokensPerSecond: 0,
  ...change,
});
const below = upstream('b', { state: 'below_floor', floor: FLOOR });
const saturated = upstream('s', {
  state: 'saturated',
  saturation_concurrency: 32,
  concurrency: { total: 41.23, prefill: 1.23, decode: 40, unstreamed: 0 },
});
const down = upstream('d', { state: 'down' });

describe('the status', () => {
  it.each([
    ['idle', {}, 'No traffic: no request is in flight.'],
    [
      'flowing',
      { in_flight: { prefill: 2, decode: 9, unstreamed: 1 }, tokensPerSecond: 1_234.4 },
      '12 generations in flight, 1,234 tokens per second.',
    ],
    [
      'flowing',
      { in_flight: { ...NOTHING, decode: 1 }, tokensPerSecond: 20.04 },
      '1 generation in flight, 20 tokens per second.',
    ],
    ['flowing', { upstreams: [upstream('a', { in_flight: 1 })] }, 'Requests are in flight, none of them a generation.'],
    [
      'saturated',
      { upstreams: [saturated] },
      'Upstream s is saturated: 41.2 generations at once, where 32 bring as much throughput.',
    ],
    [
      'below_floor',
      { upstreams: [saturated, below, { ...below, name: 'c' }] },
      'Upstream b gives 79 % of its floor: 1,200 of 1,500 tokens per second over the last minute, with enough demand for all of it. Also below its floor: c.',
    ],
    ['upstream_down', { upstreams: [down] }, 'Upstream d is down: the last attempt to reach it failed.'],
    [
      'upstream_down',
      { upstreams: [below, down, ...['e', 'f', 'g'].map((name) => ({ ...down, name }))] },
      '4 of 5 upstreams are down: the last attempt to reach d, e, f and 1 more failed.',
    ],
    [
      'draining',
      { isDraining: true, upstreams: [down], in_flight: { ...NOTHING, decode: 2 } },
      'The gateway is shutting down: 2 generations may still finish.',
    ],
    ['draining', { isDraining: true }, 'The gateway is shutting down: nothing is in flight any more.'],
  ])('is %s, and says why: %j', (status, change, sentence) => {
    expect(statusOf(situation(change))).toEqual({ status, status_text: sentence });
  });
});
