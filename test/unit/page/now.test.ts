import { describe, expect, it } from 'vitest';
import type { GoodputSnapshot } from '../../../src/live/snapshot-type.ts';
import { costFact, goodputFact, inFlightFact, ttftFacts } from '../../../src/page/now/facts.ts';
import { NO_TRAFFIC, speedHeadline, throughputHeadline } from '../../../src/page/now/headline.ts';
import { announcement, statusOf, titleOf } from '../../../src/page/now/status.ts';
import { snapshotWith, upstreamWith } from '../../helpers/page-snapshot.ts';

const idle = snapshotWith();

function flowing(given: Parameters<typeof snapshotWith>[0] = {}) {
  return snapshotWith({
    status: 'flowing',
    in_flight: { prefill: 1, decode: 4, unstreamed: 0 },
    throughput: {
      tokens_per_second: { '1s': 210, '10s': 200.4, '60s': 190 },
      tokens_per_second_per_gpu: { '1s': 105, '10s': 100.2, '60s': 95 },
      conditions: {
        input_tokens_per_second: 9,
        concurrency: { total: 5, prefill: 1, decode: 4, unstreamed: 0 },
        input_tokens: { p5: 1, p50: 514, p95: 2_000 },
        output_tokens: null,
      },
    },
    user_speed: { p10: 31.2, p50: 48.7 },
    ...given,
  });
}

describe('the two big numbers', () => {
  it('are "No traffic" where nothing flows, and no zero', () => {
    expect(throughputHeadline(idle).value).toBeNull();
    expect(speedHeadline(idle).value).toBeNull();
    expect(ttftFacts(idle).p50).toMatchObject({ value: NO_TRAFFIC, isAbsent: true });
    expect(inFlightFact(idle)).toMatchObject({ value: NO_TRAFFIC, isAbsent: true });
  });

  it('a stall is a figure: with requests in flight, 0 is what was measured', () => {
    const stalled = snapshotWith({ in_flight: { prefill: 0, decode: 3, unstreamed: 0 } });
    expect(throughputHeadline(stalled).value).toBe('0.0');
  });

  it('a throughput has its conditions beside it, and what it is per GPU', () => {
    const { value, beside, notes } = throughputHeadline(flowing());
    expect(value).toBe('200');
    expect(beside).toEqual({ value: '100', label: 'per GPU' });
    expect(notes).toEqual(['5.0 at once, 514 in (median tokens)']);
  });

  it('the speed is the median, with the slow end beside it', () => {
    expect(speedHeadline(flowing())).toMatchObject({
      value: '48.7',
      beside: { value: '31.2', label: 'slowest tenth (p10)' },
      notes: [],
    });
  });

  it('before a request has ended, the speed is that of the streams that run, and says so', () => {
    const young = flowing({ user_speed: null, running_speed: { p10: 20, p50: 30 } });
    expect(speedHeadline(young)).toMatchObject({
      value: '30.0',
      beside: { value: '20.0' },
      notes: ['of streams that still run'],
    });
  });

  it('what is estimated says how much, and nothing is said where all was counted', () => {
    const estimated = flowing({ estimated: { finished: null, running: 0.62 } });
    expect(throughputHeadline(estimated).estimated).toContain('62.0% of what runs now');
    expect(throughputHeadline(flowing({ estimated: { finished: 0, running: 0 } })).estimated).toBeNull();
  });
});

describe('the smaller figures', () => {
  const good = (given: Partial<GoodputSnapshot>): GoodputSnapshot => ({
    workload: 'w',
    requests_per_second: 0,
    tokens_per_second: 0,
    judged_requests_per_second: 0,
    good_ratio: null,
    ...given,
  });

  it('goodput adds up requests over workloads: a mean of ratios would weigh the small as much as the large', () => {
    const fact = goodputFact([
      good({ requests_per_second: 9, judged_requests_per_second: 10, tokens_per_second: 100 }),
      good({ requests_per_second: 0, judged_requests_per_second: 90 }),
    ]);
    expect(fact).toMatchObject({ value: '9.0%', note: 'met every SLO: 9.00 requests/s, 100 tok/s' });
  });

  it('what is not configured is no figure, and neither is what nothing was judged for', () => {
    expect(goodputFact([])).toMatchObject({ value: 'No SLO', isAbsent: true });
    expect(goodputFact([good({})])).toMatchObject({ value: NO_TRAFFIC, isAbsent: true });
    expect(costFact({ cost: null })).toMatchObject({ value: 'No price', isAbsent: true });
    const idleCost = { dollars_per_million_output_tokens: null, gpu_dollars_per_hour: 2.5 };
    expect(costFact({ cost: idleCost })).toEqual({ value: NO_TRAFFIC, isAbsent: true, note: 'GPUs $2.50 an hour' });
  });
});

describe('the status line', () => {
  const lost = { kind: 'lost', attempt: 1, retryAtMs: 0, sentence: null } as const;

  it('is the gateway’s own sentence while it is heard', () => {
    expect(statusOf({ kind: 'live' }, flowing({ status_text: 'Five flow.' }), 0)).toMatchObject({
      word: 'Flowing',
      sentence: 'Five flow.',
    });
  });

  it('without a connection what is shown is old, and that comes first', () => {
    const status = statusOf(lost, flowing(), 0);
    expect(status.tone).toBe('bad');
    expect(status.sentence).toMatch(/^Connection lost, trying again\. What you see is of \d\d:\d\d:\d\d$/);
  });

  it('the title of the tab is the figure, or why there is none', () => {
    const live = { kind: 'live' } as const;
    expect(titleOf(live, flowing())).toBe('200 tok/s · Pitot');
    expect(titleOf(live, idle)).toBe('Idle · Pitot');
    expect(titleOf(lost, flowing())).toBe('No connection · Pitot');
    expect(titleOf(live, null)).toBe('Pitot');
  });

  it('is read out only when the state is another, whatever the figures do', () => {
    const first = announcement({ kind: 'live' }, flowing({ status_text: 'Five flow.' }));
    expect(announcement({ kind: 'live' }, flowing({ status_text: 'Six flow.' }))).toBe(first);
    const down = flowing({ status: 'upstream_down', upstreams: [upstreamWith({ name: 'b', state: 'down' })] });
    expect(announcement({ kind: 'live' }, down)).toBe('Upstream down: b');
    expect(announcement(lost, down)).toBe('Connection lost, trying again');
  });
});
