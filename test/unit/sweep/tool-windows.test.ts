import { expect, it } from 'vitest';
import type { ToolRequest } from '../../../scripts/sweep/aiperf.ts';
import { curvePoints, toolBins } from '../../../scripts/sweep/tool-windows.ts';

/** 20 tokens in as many chunks, one every 240 ms, the first 240 ms after the start. */
function request(startMs: number): ToolRequest {
  const gapsMs = Array.from({ length: 19 }, () => 240);
  return { id: String(startMs), startMs, ttftMs: 240, decodeMs: 4_560, gapsMs, reportedTokens: 20 };
}

it('the tool’s chunks fill the windows in which they came, in the bin of what was in flight', () => {
  // Two at once over three whole windows; the monotonic clock is behind.
  const starts = [0, 5_000, 10_000].map((ms) => ms + 999_990);
  const requests = [...starts, ...starts].map(request);
  const bins = toolBins(requests, (unixMs) => unixMs - 999_990);
  expect([...bins.keys()]).toEqual([2]);
  expect(bins.get(2)?.throughputs.map(({ value }) => value)).toEqual([8, 8, 8]);
  expect(bins.get(2)?.ttfts).toEqual(Array.from({ length: 6 }, () => ({ value: 240, weight: 1 })));
  expect(bins.get(2)?.speeds.map(({ value }) => value)).toEqual(Array.from({ length: 6 }, () => 19 / 4.56));
});

it('a bin is set beside the same windows of the tool', () => {
  const told = {
    concurrency: 2,
    windows: 3,
    throughput: { p50: 7.9 },
    models: [{ speed: { p50: 4 }, ttft: { p50: 0.25 } }],
  };
  const weighed = (...values: number[]) => values.map((value) => ({ value, weight: 1 }));
  const tool = { throughputs: weighed(8, 7.6, 8), ttfts: weighed(250, 260), speeds: [] };
  expect(curvePoints([told], new Map([[2, tool]]))).toEqual([
    {
      concurrency: 2,
      pitot: { windows: 3, throughput: 7.9, userSpeed: 4, ttftMs: 250 },
      tool: { windows: 3, throughput: 8, userSpeed: null, ttftMs: 250 },
    },
  ]);
  expect(curvePoints([told], new Map())).toMatchObject([{ concurrency: 2, tool: null }]);
});
