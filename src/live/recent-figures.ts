import type { FinishedRequest } from '../meter/finished.ts';
import { LogBins } from './log-bins.ts';
import { RecentQuantiles } from './recent.ts';
import { type Spread, spreadOf } from './spread.ts';

/** What is kept of requests that ended in the last minute, with the smallest value told apart; times in milliseconds. */
const LOWEST = { ttft: 0.1, tpot: 0.01, gap: 0.1, speed: 0.1, input: 1, output: 1 } as const;
type Figure = keyof typeof LOWEST;
export type FigureSpreads = Record<Figure, Spread | null>;

interface ModelFigures {
  upstream: string;
  model: string;
  recent: Record<Figure, RecentQuantiles>;
}

/** Speeds and lengths of the last minute per upstream and model: how a throughput came about. They add up, over models and upstreams. */
export class RecentFigures {
  readonly #models = new Map<string, ModelFigures>();

  finished({ record, labels, generation, slowClient }: FinishedRequest, nowMs: number): void {
    if (!generation) return;
    const { recent } = this.#of(labels.upstream, labels.model);
    const add = (figure: Figure, value: number | null) => {
      if (value !== null) recent[figure].add(value, nowMs);
    };
    add('ttft', record.ttft_ms);
    add('input', record.input_tokens);
    add('output', record.output_tokens);
    // A client that reads slowly is not the engine's fault (CONTRACT §6.10).
    if (slowClient) return;
    add('tpot', record.tpot_ms);
    add('speed', record.user_speed_tokens_per_second);
    add('gap', record.longest_gap_ms);
  }

  /** Of one upstream and model; of all models, or all upstreams, where null. */
  spreads(of: { upstream: string | null; model: string | null }, nowMs: number): FigureSpreads {
    const models = [...this.#models.values()].filter(
      ({ upstream, model }) => (of.upstream ?? upstream) === upstream && (of.model ?? model) === model,
    );
    const spread = (figure: Figure) => {
      const all = new LogBins(LOWEST[figure]);
      for (const { recent } of models) recent[figure].mergeInto(all, nowMs);
      return spreadOf(all);
    };
    return everyFigure(spread);
  }

  #of(upstream: string, model: string): ModelFigures {
    const key = `${upstream}\n${model}`;
    let found = this.#models.get(key);
    if (found === undefined) {
      found = { upstream, model, recent: everyFigure((figure) => new RecentQuantiles(LOWEST[figure])) };
      this.#models.set(key, found);
    }
    return found;
  }
}

function everyFigure<Of>(make: (figure: Figure) => Of): Record<Figure, Of> {
  return {
    ttft: make('ttft'),
    tpot: make('tpot'),
    gap: make('gap'),
    speed: make('speed'),
    input: make('input'),
    output: make('output'),
  };
}
