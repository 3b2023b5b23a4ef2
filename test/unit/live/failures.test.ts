import { describe, expect, it } from 'vitest';
import { Failures } from '../../../src/live/failures.ts';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { finishedRequest } from '../../helpers/recorder.ts';

const NOW_MS = 1_000_000;

function newFailures() {
  const failures = new Failures();
  let count = 0;
  return {
    failures,
    end(record: Partial<UsageRecord>, atMs = NOW_MS) {
      count += 1;
      const time = new Date(Date.UTC(2026, 0, 1) + atMs).toISOString();
      failures.finished(finishedRequest({ id: `r${count}`, time, ...record }), atMs);
    },
  };
}

describe('failures', () => {
  it('tell what went wrong, with whom and where', () => {
    const { failures, end } = newFailures();
    const record = { upstream: 'a', model: null, requested_model: 'tiny', user: 'ada', path: '/v1/chat/completions' };
    end({ ...record, outcome: 'upstream_timeout', status: 504, error: 'PITOT_UPSTREAM_TIMEOUT', output_tokens: null });
    expect(failures.recent()).toEqual([
      {
        time: '2026-01-01T00:16:40.000Z',
        outcome: 'upstream_timeout',
        status: 504,
        error: 'PITOT_UPSTREAM_TIMEOUT',
        upstream: 'a',
        model: 'tiny',
        workload: 'default',
        user: 'ada',
        id: 'r1',
        path: '/v1/chat/completions',
        output_tokens: null,
      },
    ]);
  });

  it('are the newest first, and no flood of one outcome hides another', () => {
    const { failures, end } = newFailures();
    end({ outcome: 'upstream_reset' });
    for (let index = 1; index <= 1_000; index += 1) end({ outcome: 'client_aborted' }, NOW_MS + index);
    end({ outcome: 'complete' }, NOW_MS + 2_000);
    const recent = failures.recent();
    expect(recent.map(({ outcome }) => outcome)).toEqual([...Array(10).fill('client_aborted'), 'upstream_reset']);
    expect(recent[0]?.id).toBe('r1001');
  });

  it('are counted by outcome, of late and since the start, that of this second included', () => {
    const { failures, end } = newFailures();
    end({ outcome: 'upstream_reset' });
    end({ outcome: 'upstream_reset' });
    end({ outcome: 'truncated' }, NOW_MS + 899_000);
    expect(failures.counts(NOW_MS + 899_000)).toEqual([
      { outcome: 'upstream_reset', last_15_minutes: 2, total: 2 },
      { outcome: 'truncated', last_15_minutes: 1, total: 1 },
    ]);
    expect(failures.counts(NOW_MS + 1_000_000)[0]).toEqual({ outcome: 'truncated', last_15_minutes: 1, total: 1 });
    expect(failures.counts(NOW_MS + 9_000_000).map(({ last_15_minutes: recent }) => recent)).toEqual([0, 0]);
  });

  it('are none when nothing failed', () => {
    const { failures, end } = newFailures();
    end({ outcome: 'complete' });
    expect([failures.recent(), failures.counts(NOW_MS)]).toEqual([[], []]);
  });
});
