import { dollarsPerMillion } from '../cost/gpu-dollars.ts';
import { referenceDollars } from '../cost/reference-price.ts';
import { median } from '../curve/max-under-slo.ts';
import type { CurveBin } from '../curve/operating-curve.ts';
import { pooled } from '../curve/series-figures.ts';
import { rounded, spreadOf } from '../live/spread.ts';
import type { Asked, OperatingPoint } from './plan-types.ts';

/** 3.0000000001 GPUs are 3: what is above comes from the arithmetic. */
const ROUNDING = 1e-9;

/**
 * What a bin comes to for so many tokens a day (CONTRACT §1: GPU-hours = tokens ÷ throughput of one GPU ÷ 3600).
 * More GPUs are more of the same: each at this concurrency, with this throughput.
 */
export function operatingPoint(bin: CurveBin, model: string, { observed, ask }: Asked): OperatingPoint {
  const tokensPerSecond = median(bin);
  const perGpu = observed.gpus === null || tokensPerSecond <= 0 ? null : tokensPerSecond / observed.gpus;
  const hours = perGpu === null ? null : ask.tokensPerDay / perGpu / 3_600;
  const exact = hours === null ? null : hours / 24;
  const whole = exact === null ? null : wholeGpus(exact, observed.gpus);
  const price = observed.gpuPricePerHour;
  const series = bin.series.filter((one) => one.model === model);
  const ttftP95Ms = pooled(series, 'ttft').quantile(0.95);
  return {
    concurrency: bin.concurrency,
    windows: Math.round(bin.windows),
    tokens_per_second: rounded(tokensPerSecond),
    tokens_per_second_per_gpu: orNull(perGpu, rounded),
    gpus: whole,
    gpus_exact: orNull(exact, rounded),
    gpu_hours_per_day: orNull(hours, rounded),
    dollars_per_day: hours === null || price === null ? null : rounded(hours * price),
    dollars_per_day_whole_gpus: whole === null || price === null ? null : rounded(whole * 24 * price),
    dollars_per_million_output_tokens:
      perGpu === null || price === null ? null : orNull(dollarsPerMillion(price, perGpu), rounded),
    ...referenceOf(bin, model, { observed, ask }),
    ttft_p95: orNull(ttftP95Ms, (ms) => rounded(ms / 1000)),
    input_tokens: spreadOf(pooled(series, 'input')),
    output_tokens: spreadOf(pooled(series, 'output')),
    conditions: observed.conditions,
  };
}

/** What one upstream runs on together is added together: half of a model's GPUs run nothing. */
function wholeGpus(exact: number, atATime: number | null): number {
  const step = Math.max(1, atATime ?? 1);
  return Math.ceil(step * Math.max(1, Math.ceil(exact / step - ROUNDING)));
}

/** The same tokens elsewhere: for each output token as much input, cached or not, as came with it here. */
function referenceOf(
  bin: CurveBin,
  model: string,
  { observed, ask }: Asked,
): Pick<OperatingPoint, 'reference_dollars_per_day' | 'input_tokens_per_output_token'> {
  const sums = { input: 0, cachedInput: 0, output: 0 };
  for (const series of bin.series) {
    if (series.model !== model) continue;
    sums.input += series.sums.input;
    sums.cachedInput += series.sums.cachedInput;
    sums.output += series.sums.output;
  }
  const price = observed.priceOf(model);
  const isKnown = sums.output > 0;
  const times = isKnown ? ask.tokensPerDay / sums.output : 0;
  const tokens = { input: sums.input * times, cachedInput: sums.cachedInput * times, output: ask.tokensPerDay };
  return {
    // Without its input the output alone would pass for the same tokens.
    reference_dollars_per_day: price === null || !isKnown ? null : rounded(referenceDollars(price, tokens)),
    input_tokens_per_output_token: isKnown ? rounded(sums.input / sums.output) : null,
  };
}

function orNull(value: number | null, told: (value: number) => number | null): number | null {
  return value === null ? null : told(value);
}
