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
    const { value, beside, notes } = throughputHeadline(flowing({ upstreams: [upstreamWith({ gpus: 2 })] }));
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

/** Of an upstream that has GPUs and a price. */
const COST = {
  dollars_per_million_output_tokens: null,
  gpu_dollars_per_hour: 2.5,
  gpu_dollars_total: 1,
  idle_dollars_total: 0,
  wasted_dollars_total: null,
  reference_dollars_total: null,
};

describe('where something flows, nothing is called "No traffic"', () => {
  const unstreamed = flowing({
    user_speed: null,
    in_flight: { prefill: 0, decode: 0, unstreamed: 3 },
    goodput: [
      { workload: 'w', requests_per_second: 0, tokens_per_second: 0, judged_requests_per_second: 0, good_ratio: null },
    ],
  });

  it('answers in one piece have no speed and no first token, and count when they end', () => {
    expect(speedHeadline(unstreamed)).toMatchObject({ value: null, absence: 'None yet' });
    expect(ttftFacts(unstreamed).p50).toMatchObject({ value: 'None yet', isAbsent: true });
    expect(goodputFact(unstreamed)).toMatchObject({ value: 'None yet', isAbsent: true });
    expect(throughputHeadline(unstreamed).notes).toContain('unstreamed answers count when they end');
  });

  it('requests that are no generations have no output, and are told apart', () => {
    const embeddings = snapshotWith({
      status: 'flowing',
      upstreams: [upstreamWith({ in_flight: 7, state: 'flowing' })],
    });
    expect(throughputHeadline(embeddings)).toMatchObject({ value: null, absence: 'No output' });
    expect(inFlightFact(embeddings)).toMatchObject({ value: 'None', note: '7 other requests, 0 done' });
  });

  it('what has just ended is no traffic of this moment, and its speeds are still those of the last minute', () => {
    const { conditions } = idle.throughput;
    const rates = { '1s': 0, '10s': 0, '60s': 90 };
    const ended = snapshotWith({
      throughput: { tokens_per_second: rates, tokens_per_second_per_gpu: null, conditions },
    });
    expect(throughputHeadline(ended)).toMatchObject({ absence: NO_TRAFFIC, notes: ['90.0 over the last minute'] });
    expect(ttftFacts(ended).p50.value).toBe('None yet');
  });

  it('a figure that is not of all upstreams says of how many', () => {
    const upstreams = [upstreamWith({ gpus: 2, cost: COST }), upstreamWith({ name: 'b' })];
    expect(throughputHeadline(flowing({ upstreams })).beside?.label).toBe('per GPU, 1 of 2 upstreams');
    const cost = { dollars_per_million_output_tokens: 3, gpu_dollars_per_hour: 2.5 };
    expect(costFact(flowing({ upstreams, cost })).note).toBe('GPUs $2.50 an hour, 1 of 2 upstreams');
  });

  it('a speed over estimated tokens is marked as an estimate', () => {
    expect(speedHeadline(flowing({ estimated: { finished: 0.4, running: 1 } })).estimated).toContain('40.0%');
    expect(speedHeadline(flowing({ estimated: { finished: 0, running: 1 } })).estimated).toBeNull();
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
    const goodput = [
      good({ requests_per_second: 9, judged_requests_per_second: 10, tokens_per_second: 100 }),
      good({ requests_per_second: 0, judged_requests_per_second: 90 }),
    ];
    const fact = goodputFact(flowing({ goodput }));
    expect(fact).toMatchObject({ value: '9.0%', note: 'met every SLO: 9.00 requests/s, 100 tok/s' });
  });

  it('what is not configured is no figure, and neither is what nothing was judged for', () => {
    expect(goodputFact(idle)).toMatchObject({ value: 'No SLO', isAbsent: true });
    expect(goodputFact(snapshotWith({ goodput: [good({})] }))).toMatchObject({ value: NO_TRAFFIC, isAbsent: true });
    expect(costFact(idle)).toMatchObject({ value: 'No price', isAbsent: true });
    const idleCost = { dollars_per_million_output_tokens: null, gpu_dollars_per_hour: 2.5 };
    expect(costFact(snapshotWith({ cost: idleCost, upstreams: [upstreamWith({ cost: COST })] }))).toEqual({
      value: NO_TRAFFIC,
      isAbsent: true,
      note: 'GPUs $2.50 an hour',
    });
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
    const status = statusOf(lost, flowing(), Date.parse(flowing().time));
    expect(status.tone).toBe('bad');
    expect(status.sentence).toMatch(/^Connection lost, trying again\. What you see is of \d\d:\d\d:\d\d$/);
  });

  it('the title of the tab is the figure, or why there is none', () => {
    const live = { kind: 'live' } as const;
    expect(titleOf(live, flowing(), false)).toBe('200 tok/s · Pitot');
    expect(titleOf(live, idle, false)).toBe('Idle · Pitot');
    expect(titleOf(lost, flowing(), false)).toBe('No connection · Pitot');
    expect(titleOf(live, null, false)).toBe('Pitot');
  });

  it('the title has no figure of another moment: not signed out, and not while the page holds still', () => {
    expect(titleOf({ kind: 'sign_in', wasRefused: true }, flowing(), false)).toBe('Signed out · Pitot');
    expect(titleOf({ kind: 'live' }, flowing(), true)).toBe('Paused · Pitot');
    expect(titleOf(lost, flowing(), true)).toBe('No connection · Pitot');
  });

  it('is read out only when the state is another, whatever the figures do', () => {
    const first = announcement({ kind: 'live' }, flowing({ status_text: 'Five flow.' }));
    expect(announcement({ kind: 'live' }, flowing({ status_text: 'Six flow.' }))).toBe(first);
    const down = flowing({ status: 'upstream_down', upstreams: [upstreamWith({ name: 'b', state: 'down' })] });
    expect(announcement({ kind: 'live' }, down)).toBe('Upstream down: b');
    expect(announcement(lost, down)).toBe('Connection lost, trying again');
  });
});
