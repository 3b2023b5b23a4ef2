import { binOf } from '../../src/curve/concurrency-bins.ts';
import { forEachWindow, OpenWindow, WINDOW_MS, windowOf } from '../../src/curve/window.ts';
import type { ToolRequest } from './aiperf.ts';
import { type Weighed, weighedMedian } from './distribution.ts';
import type { BinFigures, CurvePoint } from './figures.ts';
import type { ToldBin } from './measured-pitot.ts';

/** What the tool measured in one window, or in all windows of a bin. */
interface Measured {
  readonly throughputs: Weighed[];
  readonly ttfts: Weighed[];
  readonly speeds: Weighed[];
}

/** The windows of the operating curve by bin, as the tool's own times fill them. */
export type ToolBins = ReadonlyMap<number, Measured>;

class ToolWindow {
  readonly open = new OpenWindow();
  readonly ttfts: Weighed[] = [];
  readonly speeds: Weighed[] = [];
}

/**
 * The five-second windows of the curve from what the tool noted: when each request began and each of its chunks came.
 * The tokens that the engine reported are shared evenly among the chunks. `monotonicMs`: of a Unix time.
 */
export function toolBins(requests: readonly ToolRequest[], monotonicMs: (unixMs: number) => number): ToolBins {
  const windows = new Map<number, ToolWindow>();
  const at = (number: number) => {
    const window = windows.get(number) ?? new ToolWindow();
    windows.set(number, window);
    return window;
  };
  for (const request of requests) enter(request, monotonicMs(request.startMs), at);
  return binned(windows);
}

function enter(request: ToolRequest, startMs: number, at: (window: number) => ToolWindow): void {
  const { ttftMs, decodeMs, gapsMs, reportedTokens } = request;
  const tokens = reportedTokens ?? 0;
  const perChunk = tokens / (gapsMs.length + 1);
  const firstMs = startMs + ttftMs;
  const lastMs = firstMs + decodeMs;
  at(windowOf(startMs)).open.moved(1, startMs);
  at(windowOf(lastMs)).open.moved(-1, lastMs);
  at(windowOf(firstMs)).ttfts.push({ value: ttftMs, weight: 1 });
  let ms = firstMs;
  for (const gapMs of [0, ...gapsMs]) {
    ms += gapMs;
    at(windowOf(ms)).open.tokens += perChunk;
  }
  // A request weighs 1, spread over the time in which it was decoded.
  const value = ((tokens - 1) / decodeMs) * 1000;
  forEachWindow({ fromMs: firstMs, toMs: lastMs }, (window, weight) => at(window).speeds.push({ value, weight }));
}

function binned(windows: ReadonlyMap<number, ToolWindow>): ToolBins {
  const bins = new Map<number, Measured>();
  let inFlight = 0;
  for (let number = Math.min(...windows.keys()); number <= Math.max(...windows.keys()); number += 1) {
    const { open, ttfts, speeds } = windows.get(number) ?? new ToolWindow();
    const closed = open.close({ atMs: number * WINDOW_MS, inFlight });
    inFlight += open.change;
    const middle = closed === null ? null : binOf(closed.concurrency);
    if (closed === null || middle === null) continue;
    const bin = bins.get(middle) ?? { throughputs: [], ttfts: [], speeds: [] };
    bins.set(middle, bin);
    bin.throughputs.push({ value: closed.tokensPerSecond, weight: 1 });
    bin.ttfts.push(...ttfts);
    bin.speeds.push(...speeds);
  }
  return bins;
}

/** Each bin that Pitot told beside the tool's. */
export function curvePoints(told: readonly ToldBin[], tools: ToolBins): CurvePoint[] {
  return told.map((bin) => {
    const tool = tools.get(bin.concurrency);
    return {
      concurrency: bin.concurrency,
      pitot: {
        windows: bin.windows,
        throughput: bin.throughput?.p50 ?? null,
        userSpeed: bin.models[0]?.speed?.p50 ?? null,
        ttftMs: ms(bin.models[0]?.ttft?.p50 ?? null),
      },
      tool: tool === undefined ? null : figuresOf(tool),
    };
  });
}

function figuresOf({ throughputs, ttfts, speeds }: Measured): BinFigures {
  return {
    windows: throughputs.length,
    throughput: weighedMedian(throughputs),
    userSpeed: weighedMedian(speeds),
    ttftMs: weighedMedian(ttfts),
  };
}

function ms(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
