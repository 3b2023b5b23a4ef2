import type { Choices } from '../choices.ts';
import type { CountOrigin, FactSink, UsageSnapshot } from '../facts.ts';
import { type CountSigns, KindOfCounts } from './kind-of-counts.ts';

/**
 * Counts that are said of one choice at a time. They add up over choices where each counts its own (vLLM's running
 * counts, FAULTS B25; TGI's completions over several prompts), while the snapshots of one choice do not. The sink
 * gets the total of all choices, and each choice's own count once two have reported. What may be either is no last word.
 */
export class ChoiceUsage {
  readonly #sink: FactSink;
  readonly #choices: Choices;
  /** Every choice answers a prompt of its own, from the start (SGLang, llama.cpp). */
  readonly #ownPrompts: boolean;
  readonly #isOfLists: boolean;
  readonly #counts: KindOfCounts;
  readonly #input = new RisingSum();
  readonly #cached = new RisingSum();
  readonly #output = new RisingSum();
  readonly #reasoning = new RisingSum();
  #hasRunningCounts = false;
  #last: UsageSnapshot = {};

  constructor(
    sink: FactSink,
    choices: Choices,
    options: { ownPrompts?: boolean; origin?: 'lists'; addsUp?: boolean } = {},
  ) {
    this.#sink = sink;
    this.#choices = choices;
    this.#ownPrompts = options.ownPrompts ?? false;
    this.#isOfLists = options.origin === 'lists';
    this.#counts = new KindOfCounts(this.#ownPrompts || this.#isOfLists || options.addsUp ? 'own' : null);
  }

  add(choice: number, said: UsageSnapshot, signs: CountSigns = {}): void {
    const isRunning = !this.#choices.hasEnded(choice);
    if (isRunning) this.#hasRunningCounts = true;
    this.#counts.see(choice, said, signs);
    const isNew = this.#output.raise(choice, said.outputTokens);
    this.#reasoning.raise(choice, said.reasoningTokens);
    this.#input.raise(choice, said.inputTokens);
    this.#cached.raise(choice, said.cachedInputTokens);
    this.#last = said;
    this.#tell(isRunning);
    const tellsChoices = this.#isPerChoice && !this.#isOfLists && this.#counts.kind !== 'whole';
    if (tellsChoices) this.#tellChoices(isNew ? null : choice);
  }

  /** The answer is over: what was said last is the last word, if every choice has ended. */
  conclude(): void {
    if (this.#output.total !== null && this.#choices.allEnded) this.#tell(false);
  }

  /**
   * The input too, where every choice answers a prompt of its own: no choice counted while it ran (as
   * vLLM does, whose choices may share a prompt), and nobody gave a total.
   */
  addUpPrompts(): void {
    if (this.#isPerChoice && this.#counts.kind === 'own' && !this.#hasRunningCounts) {
      this.#sink.usage(this.#ofAll(), true, this.#origin);
    }
  }

  #tell(isRunning: boolean): void {
    const { allEnded } = this.#choices;
    if (allEnded) this.#counts.conclude(this.#output.parts);
    const { kind } = this.#counts;
    if (!this.#isPerChoice || kind === 'whole') {
      this.#sink.usage(this.#last, allEnded, this.#isOfLists ? 'lists' : undefined);
      return;
    }
    // While it runs, the sum is what is more often true; at the end, the least that it can be.
    const adds = kind === 'own' || isRunning;
    const total = this.#ownPrompts ? this.#ofAll() : adds ? this.#withOutputOfAll(this.#last) : this.#last;
    this.#sink.usage(total, allEnded && kind === 'own', this.#origin);
  }

  get #isPerChoice(): boolean {
    return this.#output.parts.size > 1;
  }

  /** The count of an only choice is that of the request. */
  get #origin(): CountOrigin | undefined {
    if (this.#isOfLists) return 'lists';
    return this.#isPerChoice ? 'choices' : undefined;
  }

  #ofAll(): UsageSnapshot {
    const total = this.#withOutputOfAll({});
    if (this.#input.total !== null) total.inputTokens = this.#input.total;
    if (this.#cached.total !== null) total.cachedInputTokens = this.#cached.total;
    return total;
  }

  #withOutputOfAll(said: UsageSnapshot): UsageSnapshot {
    const total = { ...said };
    if (this.#output.total !== null) total.outputTokens = this.#output.total;
    if (this.#reasoning.total !== null) total.reasoningTokens = this.#reasoning.total;
    return total;
  }

  /** One choice's count, or those of all: the first was silent as long as it was alone. */
  #tellChoices(only: number | null): void {
    for (const [choice, tokens] of this.#output.parts) {
      if (only === null || only === choice) this.#sink.choiceTokens(choice, tokens);
    }
  }
}

const NO_PARTS: ReadonlyMap<number, number> = new Map();

/** A sum over parts of which each only rises. Null until something was said, and until then it takes no memory. */
class RisingSum {
  total: number | null = null;
  #parts: Map<number, number> | null = null;

  get parts(): ReadonlyMap<number, number> {
    return this.#parts ?? NO_PARTS;
  }

  /** True when the part is new. */
  raise(part: number, value: number | undefined): boolean {
    if (value === undefined) return false;
    this.#parts ??= new Map();
    const before = this.#parts.get(part);
    if (before !== undefined && before >= value) return false;
    this.#parts.set(part, value);
    this.total = (this.total ?? 0) + value - (before ?? 0);
    return before === undefined;
  }
}
