import { cutText } from '../meter/cut-text.ts';
import { LabelGuard } from './label-guard.ts';

/** Stands for a model no answer has confirmed, so that a client cannot mint series (CONTRACT §7). */
export const UNKNOWN_MODEL = 'unknown';
/** Names a client may request and an upstream confirm; the oldest are forgotten past this. */
const MAX_CONFIRMED = 1_000;
/** Of a requested name that is longer, this much is remembered, as in records: a body may hold a name of a megabyte. */
const NAME_LIMIT = 256;

/**
 * Which label stands for the model a request asked for. A 2xx answer confirms the requested name;
 * from then on it stands for the name the answer carried or, if it carried none, for itself.
 */
export class ModelNames {
  readonly #confirmed = new Map<string, string>();
  readonly #guard: LabelGuard;

  constructor(maxModels: number, onOverflow: () => void) {
    this.#guard = new LabelGuard({ max: maxModels, always: [UNKNOWN_MODEL], onOverflow });
  }

  set maxModels(max: number) {
    this.#guard.max = max;
  }

  labelOf(upstream: string, requested: string | null): string {
    return requested === null ? UNKNOWN_MODEL : (this.#confirmed.get(key(upstream, requested)) ?? UNKNOWN_MODEL);
  }

  /** Returns the label for this answer. */
  confirm(upstream: string, requested: string | null, answered: string | null): string {
    const name = answered ?? requested;
    if (name === null) return UNKNOWN_MODEL;
    const label = this.#guard.admit(name);
    if (requested !== null) this.#remember(key(upstream, requested), label);
    return label;
  }

  #remember(requestedKey: string, label: string): void {
    if (!this.#confirmed.has(requestedKey) && this.#confirmed.size >= MAX_CONFIRMED) {
      const oldest = this.#confirmed.keys().next();
      if (!oldest.done) this.#confirmed.delete(oldest.value);
    }
    this.#confirmed.set(requestedKey, label);
  }
}

function key(upstream: string, requested: string): string {
  return `${upstream}\n${cutText(requested, NAME_LIMIT)}`;
}
