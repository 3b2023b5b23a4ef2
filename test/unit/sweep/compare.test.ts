import { describe, expect, it } from 'vitest';
import type { ToolRequest, ToolStep } from '../../../scripts/sweep/aiperf.ts';
import { compareStep } from '../../../scripts/sweep/compare.ts';
import { quantile } from '../../../scripts/sweep/distribution.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

const flat = { mean: 100, p50: 100, p95: 100 };
const counted = { outputTokens: 20, busySeconds: 1, ttftMeanMs: 99, tpotMeanMs: 10, userSpeedMean: 100 };

function request(id: string, reportedTokens = 10): ToolRequest {
  return { id, startMs: 0, ttftMs: 100, decodeMs: 90, gapsMs: [], reportedTokens };
}

function step(...requests: ToolRequest[]): { concurrency: number; tool: ToolStep; counted: typeof counted } {
  const side = { requests: requests.length, outputTokens: 20, seconds: 1, throughput: 20 };
  return {
    concurrency: 2,
    counted,
    tool: { version: '1', requests, side: { ...side, ttftMs: flat, tpotMs: flat, userSpeed: flat } },
  };
}

function record(id: string, outputTokens = 10) {
  return usageRecord({
    request_id: id,
    started_at: '2026-01-01T00:00:00.000Z',
    time: '2026-01-01T00:00:02.000Z',
    output_tokens: outputTokens,
    ttft_ms: 98,
    tpot_ms: 10,
    decode_ms: 91,
    user_speed_tokens_per_second: 100,
  });
}

describe('the tool’s requests beside the usage records', () => {
  it('are found by the id that the tool sent, whatever else is in the log', () => {
    const figures = compareStep(step(request('a'), request('b')), [record('other'), record('b'), record('a')]);
    expect(figures.pitot).toMatchObject({ requests: 2, outputTokens: 20, seconds: 2, throughput: 10 });
    expect(figures).toMatchObject({ unmatched: 0, miscounted: 0, reportedTokens: 20 });
    expect(figures.ttftDifferenceMs).toEqual({ p50: 2, p99: 2 });
    expect(figures.decodeDifferenceMs).toEqual({ p50: -1, p99: -1 });
  });

  it('without a record, or with another count, are told', () => {
    const figures = compareStep(step(request('a'), request('b', 11)), [record('b')]);
    expect(figures).toMatchObject({ unmatched: 1, miscounted: 1 });
  });
});

it('a quantile lies straight between its two neighbours', () => {
  expect(quantile([1, 2, 4], 0.75)).toBe(3);
  expect(quantile([7], 0.99)).toBe(7);
  expect(() => quantile([], 0.5)).toThrow('nothing');
});
