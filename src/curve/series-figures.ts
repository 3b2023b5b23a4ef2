import { LogBins } from '../live/log-bins.ts';
import type { UsageRecord } from '../meter/record.ts';

/** What is kept of the requests of a model and workload, with the smallest value told apart. Times in milliseconds. */
export const LOWEST = {
  /** Per-user speed in tokens per second: 1 / TPOT. */
  speed: 0.01,
  /** The same in characters, comparable across tokenizers. */
  characters: 0.01,
  ttft: 0.1,
  gap: 0.1,
  input: 1,
  output: 1,
} as const;

export type Figure = keyof typeof LOWEST;
export const FIGURES: readonly Figure[] = ['speed', 'characters', 'ttft', 'gap', 'input', 'output'];

/** Tokens of the requests whose input is known: what input comes with an output, and how much of it was cached. */
export interface TokenSums {
  input: number;
  cachedInput: number;
  output: number;
}

/** Requests of one model and workload at one concurrency, as sums and bins that add up and fade. */
export class SeriesFigures {
  readonly model: string;
  readonly workload: string;
  /** First tokens that came; not whole any more once they faded. */
  firstTokens = 0;
  readonly sums: TokenSums = { input: 0, cachedInput: 0, output: 0 };
  readonly bins: Readonly<Record<Figure, LogBins>>;

  constructor(labels: { model: string; workload: string }, bins: Partial<Record<Figure, LogBins>> = {}) {
    this.model = labels.model;
    this.workload = labels.workload;
    this.bins = {
      speed: bins.speed ?? new LogBins(LOWEST.speed),
      characters: bins.characters ?? new LogBins(LOWEST.characters),
      ttft: bins.ttft ?? new LogBins(LOWEST.ttft),
      gap: bins.gap ?? new LogBins(LOWEST.gap),
      input: bins.input ?? new LogBins(LOWEST.input),
      output: bins.output ?? new LogBins(LOWEST.output),
    };
  }

  merge(other: SeriesFigures): void {
    this.firstTokens += other.firstTokens;
    this.sums.input += other.sums.input;
    this.sums.cachedInput += other.sums.cachedInput;
    this.sums.output += other.sums.output;
    for (const figure of FIGURES) this.bins[figure].merge(other.bins[figure]);
  }

  firstToken(ttftMs: number): void {
    this.firstTokens += 1;
    this.bins.ttft.add(ttftMs);
  }

  /** `share` (0 to 1) of the time from first to last token of one request. What is null was not there to be measured. */
  decoded(record: Readonly<UsageRecord>, share: number): void {
    addTo(this.bins.speed, record.user_speed_tokens_per_second, share);
    addTo(this.bins.characters, record.characters_per_second, share);
    addTo(this.bins.gap, record.longest_gap_ms, share);
  }

  /** `share` (0 to 1) of the time in which the engine had one request. */
  served(
    { input_tokens: input, output_tokens: output, cached_input_tokens: cached }: Readonly<UsageRecord>,
    share: number,
  ): void {
    addTo(this.bins.input, input, share);
    addTo(this.bins.output, output, share);
    if (input === null || output === null) return;
    this.sums.input += input * share;
    this.sums.cachedInput += Math.min(input, cached ?? 0) * share;
    this.sums.output += output * share;
  }

  scale(factor: number): void {
    this.firstTokens *= factor;
    this.sums.input *= factor;
    this.sums.cachedInput *= factor;
    this.sums.output *= factor;
    for (const figure of FIGURES) this.bins[figure].scale(factor);
  }
}

function addTo(bins: LogBins, value: number | null, weight: number): void {
  if (value !== null) bins.add(value, weight);
}

/** One figure of several series as if it had been kept as one: a quantile of all, never a mean of quantiles. */
export function pooled(series: Iterable<SeriesFigures>, figure: Figure): LogBins {
  const all = new LogBins(LOWEST[figure]);
  for (const one of series) all.merge(one.bins[figure]);
  return all;
}

/** The entry of a model and workload, made where there is none. */
export function seriesIn(all: Map<string, SeriesFigures>, labels: { model: string; workload: string }): SeriesFigures {
  const key = seriesKey(labels);
  let found = all.get(key);
  if (found === undefined) {
    found = new SeriesFigures(labels);
    all.set(key, found);
  }
  return found;
}

export function seriesKey({ model, workload }: { model: string; workload: string }): string {
  return `${model}\n${workload}`;
}
