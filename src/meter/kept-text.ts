import type { Channel } from '../wire/facts.ts';

/** Output kept of one request, in UTF-16 units; what is beyond makes a local count pointless. */
const MAX_KEPT = 2_000_000;

/** The output of one choice and channel, as a tokenizer wants it. */
export interface OutputText {
  choice: number;
  channel: Channel;
  text: string;
}

/**
 * Output text of a request whose upstream may report no usage, kept until it is counted and never
 * longer. Per choice and channel: each is tokenized by itself.
 */
export class KeptText {
  readonly #pieces = new Map<string, OutputText>();
  #size = 0;

  add(choice: number, channel: Channel, text: string): void {
    this.#size += text.length;
    if (this.#size > MAX_KEPT) {
      this.#pieces.clear();
      return;
    }
    const key = `${choice} ${channel}`;
    const piece = this.#pieces.get(key);
    // V8 keeps a concatenation as a rope: nothing is copied until the text is read.
    if (piece === undefined) this.#pieces.set(key, { choice, channel, text });
    else piece.text += text;
  }

  /** Null when it was too much, or nothing. */
  outputs(): OutputText[] | null {
    return this.#size > MAX_KEPT || this.#pieces.size === 0 ? null : [...this.#pieces.values()];
  }
}
