import { cutText } from '../meter/cut-text.ts';

/** A label value is cut here (CONTRACT §8). */
const LABEL_LIMIT = 128;
/** What stands for every value past the cap. */
export const OTHER = 'other';

/**
 * Bounds the values of one label by construction: configured values are always admitted, then first
 * come, first served up to the cap; the rest is `other`, and each refusal is counted.
 */
export class LabelGuard {
  /** How many values beside the configured ones are admitted; a reload may move it. What was admitted stays. */
  max: number;
  readonly #configured: Set<string>;
  readonly #admitted = new Set<string>();
  readonly #onOverflow: () => void;

  constructor(options: { max: number; always?: Iterable<string>; onOverflow?: () => void }) {
    this.max = options.max;
    this.#configured = new Set(options.always);
    this.#onOverflow = options.onOverflow ?? (() => {});
  }

  admit(value: string): string {
    const label = cutText(value, LABEL_LIMIT);
    if (this.#configured.has(label) || this.#admitted.has(label)) return label;
    if (this.#admitted.size < this.max) {
      this.#admitted.add(label);
      return label;
    }
    this.#onOverflow();
    return OTHER;
  }
}
