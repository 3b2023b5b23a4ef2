import type { Phase } from './record.ts';
import type { Judgement } from './slo.ts';

/**
 * What a request tells the live ledger while it runs. The ledger implements it; the meter only
 * knows this face, so that `meter` need not import `ledger` (and a worker can put a pipe between).
 * All times are monotonic milliseconds.
 */
export interface LiveAccount {
  /** The model the request asked for (body, else path), once known; null when it named none. */
  requested(model: string | null): void;
  /** Enters, changes or (null) leaves a phase. Only generations have phases. */
  phase(phase: Phase | null, atMs: number): void;
  /**
   * From this time on a first token is too late for its target (CONTRACT §6.9): then the request is bad before it has
   * ended. Ends with the phase `prefill`; null: no token can be seen, so none is waited for.
   */
  firstTokenDue(atMs: number | null): void;
  /** A 2xx answer confirmed the request under this model name; null when the answer carried none. */
  confirmModel(answered: string | null): void;
  /**
   * One output event was relayed: `characters` of payload, and the upstream's own running count
   * of the whole request where it sends one (else null).
   */
  emitted(characters: number, runningTokens: number | null, atMs: number): void;
  /** The live estimate of all output emitted so far: what `estimated` means at the end of a stream. */
  estimate(): number;
  /** The same for output that was not streamed; null before anything was learned of how long its tokens are. */
  estimateOf(characters: number): number | null;
  /**
   * The final count, once. What the upstream reported or the local tokenizer counted teaches the
   * calibration. Null: nothing is counted, and what was counted live is withheld from later increments.
   */
  settle(settlement: Settlement): void;
  /** What became of its SLOs, once, at its end. */
  judged(judged: Judged): void;
  /**
   * The last whole answer of this upstream and model, to a request like this one, came with the
   * upstream's own count: then a count of our own will hardly be needed.
   */
  readonly expectsReport: boolean;
  /** Whether the request says itself what usage it wants: those that do and those that do not fare differently. */
  asksForUsage(asks: boolean): void;
  /** Who asked, for who looks at what runs; null without identity. */
  user: string | null;
  /** The label values this request is counted under, as they stand now. */
  readonly labels: SeriesLabels;
  /** Generations in flight on the upstream, this one included, when it entered its first phase. */
  readonly concurrencyAtStart: number | null;
}

export interface Settlement {
  outputTokens: number | null;
  /** Whether the upstream counted this answer itself; null where a cut or empty one does not tell. */
  wasReported: boolean | null;
  /** Set when the tokens of a stream were counted, by the upstream or here: what calibration learns from. */
  lesson: Lesson | null;
  /** The interval over which the tokens were produced, for windows that look back. */
  fromMs: number;
  toMs: number;
}

export interface Judged {
  judgement: Judgement;
  /** Of a request whose answer its client got whole; null: nobody counted them, or they were wasted. */
  outputTokens: number | null;
  endMs: number;
}

/** What a finished stream says of the size of its chunks. */
export interface Lesson {
  visibleTokens: number;
  characters: number;
  chunks: number;
  /** The upstream's own count; false: the local tokenizer's, which is worth less. */
  isReported: boolean;
}

/** The label set W of CONTRACT §7, after capping. */
export interface SeriesLabels {
  readonly upstream: string;
  readonly model: string;
  readonly workload: string;
}
