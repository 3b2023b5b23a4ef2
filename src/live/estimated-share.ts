import type { UsageRecord } from '../meter/record.ts';
import { SecondSums } from './second-sums.ts';

const WINDOW_SECONDS = 60;

/** Which share of the output of the last minute no upstream counted, by requests as they end. */
export class EstimatedShare {
  readonly #tokens = new SecondSums(2, WINDOW_SECONDS);

  finished({ output_tokens: tokens, usage_source: source }: Readonly<UsageRecord>, nowMs: number): void {
    if (tokens !== null) this.#tokens.add([tokens, source === 'estimated' ? tokens : 0], nowMs);
  }

  /** 0 to 1; null where there was no output. */
  at(nowMs: number): number | null {
    const [all = 0, estimated = 0] = this.#tokens.sums(nowMs);
    return all > 0 ? estimated / all : null;
  }
}
