import { CurveBin } from '../../src/curve/operating-curve.ts';
import { SeriesFigures } from '../../src/curve/series-figures.ts';

export interface BinSketch {
  concurrency: number;
  tokensPerSecond: number;
  windows?: number;
  /** Of every request. */
  ttftMs?: number;
  speed?: number;
  firstTokens?: number;
  input?: number;
  output?: number;
  model?: string;
  workload?: string;
}

/** A bin of windows that are all alike. */
export function curveBin(sketch: BinSketch): CurveBin {
  const { concurrency, tokensPerSecond, windows = 100, ttftMs = 200, speed = 50, firstTokens = 1_000 } = sketch;
  const { input = 400, output = 100, model = 'tiny', workload = 'chat' } = sketch;
  const bin = new CurveBin(concurrency, Date.UTC(2026, 0, 2, 3, 4, 5));
  const series = new SeriesFigures({ model, workload });
  series.firstTokens = firstTokens;
  series.bins.ttft.add(ttftMs, firstTokens);
  series.bins.speed.add(speed, firstTokens);
  series.bins.input.add(input, firstTokens);
  series.bins.output.add(output, firstTokens);
  Object.assign(series.sums, { input: input * 1_000, cachedInput: 0, output: output * 1_000 });
  bin.windows = windows;
  bin.throughput.add(tokensPerSecond, windows);
  bin.seriesByName.set(`${model}\n${workload}`, series);
  return bin;
}
