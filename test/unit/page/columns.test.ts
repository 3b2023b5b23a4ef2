import { describe, expect, it } from 'vitest';
import { sorted } from '../../../src/page/state/sort.ts';
import { FIRST_VIEW } from '../../../src/page/state/view-query.ts';
import type { Column } from '../../../src/page/tables/column.ts';
import { requestsExtent } from '../../../src/page/tables/extent.ts';
import { FAILURE_COLUMNS } from '../../../src/page/tables/failure-columns.ts';
import { REQUEST_COLUMNS } from '../../../src/page/tables/request-columns.ts';
import { shareOfMax, UPSTREAM_COLUMNS } from '../../../src/page/tables/upstream-columns.ts';
import { USER_COLUMNS } from '../../../src/page/tables/user-columns.ts';
import { requestWith, upstreamWith } from '../../helpers/page-snapshot.ts';

function column<Row>(columns: readonly Column<Row>[], key: string): Column<Row> {
  const found = columns.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no column is called ${key}`);
  return found;
}

describe('how many running requests there are', () => {
  const inFlight = { prefill: 0, decode: 1_000, unstreamed: 0 };
  const requests = Array.from({ length: 200 }, () => requestWith());

  it('a filter over those that are sent says that there are more', () => {
    expect(requestsExtent({ in_flight: inFlight, requests }, null)).toEqual({ total: 1_000 });
    expect(requestsExtent({ in_flight: inFlight, requests }, 3)).toEqual({
      total: 3,
      remark: ', among the 200 slowest of 1,000 requests',
      empty: 'The filter leaves none of the 200 slowest of 1,000 requests.',
    });
  });

  it('a filter that leaves none does not say that none runs', () => {
    const few = { in_flight: { ...inFlight, decode: 1 }, requests: [requestWith()] };
    expect(requestsExtent(few, 0)).toEqual({ total: 0, empty: 'No request is left by the filter.' });
    expect(requestsExtent({ in_flight: { ...inFlight, decode: 0 }, requests: [] }, 0).empty).toBeUndefined();
  });
});

describe('the tables', () => {
  it('are first sorted by a column that they have', () => {
    const keys = {
      upstreams: UPSTREAM_COLUMNS,
      requests: REQUEST_COLUMNS,
      users: USER_COLUMNS,
      failures: FAILURE_COLUMNS,
    };
    for (const table of ['upstreams', 'requests', 'users', 'failures'] as const) {
      expect(keys[table].map(({ key }) => key)).toContain(FIRST_VIEW.sorts[table].key);
    }
  });

  it('running requests come slowest first: a stalled stream at the top, one without a speed at the end', () => {
    const requests = [
      requestWith({ id: 'fast', speed: 90 }),
      requestWith({ id: 'waiting', speed: null, phase: 'prefill' }),
      requestWith({ id: 'stalled', speed: 0 }),
      requestWith({ id: 'slow', speed: 9 }),
    ];
    const { key, isDescending } = FIRST_VIEW.sorts.requests;
    const order = sorted(requests, column(REQUEST_COLUMNS, key).sortBy, isDescending);
    expect(order.map(({ id }) => id)).toEqual(['stalled', 'slow', 'fast', 'waiting']);
  });

  it('a count that is estimated is marked, and none that nobody knows', () => {
    const { text } = column(REQUEST_COLUMNS, 'tokens');
    expect(text(requestWith({ tokens: 1_200, is_estimated: true }))).toBe('≈ 1,200');
    expect(text(requestWith({ tokens: 1_200 }))).toBe('1,200');
    expect(text(requestWith({ tokens: null, is_estimated: true }))).toBe('–');
  });

  it('an upstream with nothing to do has no throughput, and one that stalls has 0', () => {
    const { text } = column(UPSTREAM_COLUMNS, 'throughput');
    expect(text(upstreamWith())).toBe('–');
    expect(text(upstreamWith({ in_flight: 2 }))).toBe('0.0');
  });

  it('a floor without demand is told as that, and not as a breach', () => {
    const floor = {
      output_tokens_per_second: 100,
      min_concurrency: 8,
      objective: 0.99,
      has_demand: false,
      share: null,
    };
    const { text, look } = column(UPSTREAM_COLUMNS, 'floor');
    expect(text(upstreamWith({ floor }))).toBe('no demand');
    expect(look?.(upstreamWith({ floor }))).toEqual({});
    const under = upstreamWith({ floor: { ...floor, has_demand: true, share: 0.5 } });
    expect([text(under), look?.(under)]).toEqual(['50.0%', { share: 0.5, tone: 'bad' }]);
  });

  it('the share of the most under SLO is by the strictest workload', () => {
    const most = [
      { workload: 'a', tokens_per_second: 400, concurrency: 8 },
      { workload: 'b', tokens_per_second: 200, concurrency: 4 },
    ];
    expect(shareOfMax(upstreamWith({ tokens_per_second: 100, max_under_slo: most }))).toBe(0.5);
    expect(shareOfMax(upstreamWith({ tokens_per_second: 100 }))).toBeNull();
    expect(shareOfMax(upstreamWith({ max_under_slo: most }))).toBeNull();
  });

  it('states the conditions of a throughput beside it', () => {
    const row = upstreamWith({ gpus: 2, conditions: { gpu: 'H100' }, input_tokens: { p5: 1, p50: 500, p95: 900 } });
    expect(column(UPSTREAM_COLUMNS, 'conditions').text(row)).toBe('2 GPUs · gpu H100 · 500 in (median tokens)');
  });
});
