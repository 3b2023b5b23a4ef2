import { asBuffer } from './byte-store.ts';
import { NestedValue, StringEnd } from './nested-value.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * Empties one list of a JSON object as its bytes go by: an embeddings answer is all vectors, tens of
 * megabytes of them, and its few counts stand behind. `{"data":[…],"usage":{…}}` is left as
 * `{"data":[],"usage":{…}}`, however it is cut. Only a member of the outermost object is emptied.
 */
export class ListFilter {
  /** The member's name and the quote that closes it. */
  readonly #name: Buffer;
  readonly #keep: (bytes: Uint8Array) => void;
  /** The list that is being emptied. */
  #list: NestedValue | null = null;
  /** Another value of the object that is being passed through. */
  #value: NestedValue | null = null;
  #inString = false;
  readonly #string = new StringEnd();
  /** How many bytes of the last string agree with the name; -1 when it is another. */
  #agreed = -1;
  /** The value that comes next is the member's. */
  #isMember = false;
  #opened = false;

  constructor(name: string, keep: (bytes: Uint8Array) => void) {
    this.#name = Buffer.from(`${name}"`);
    this.#keep = keep;
  }

  push(bytes: Uint8Array): void {
    const read = asBuffer(bytes);
    let from = 0;
    while (from < read.length) {
      if (this.#list !== null) {
        const end = this.#list.find(read, from);
        if (end < 0) return;
        this.#list = null;
        from = end - 1;
      }
      const open = this.#openingOfList(read, from);
      this.#keep(read.subarray(from, open < 0 ? read.length : open + 1));
      if (open < 0) return;
      this.#list = new NestedValue();
      from = open;
    }
  }

  /** Where the named list opens, or -1 when it does not in this read. */
  #openingOfList(read: Buffer, from: number): number {
    let at = from;
    while (at < read.length) {
      const end = this.#value?.find(read, at) ?? (this.#inString ? this.#endOfString(read, at) : at);
      if (end < 0) return -1;
      this.#value = null;
      this.#inString = false;
      at = end;
      const byte = read[at];
      if (byte === QUOTE) {
        this.#inString = true;
        this.#agreed = 0;
      } else if (byte === COLON) this.#isMember = this.#agreed === this.#name.length;
      else if (byte === OPEN_BRACKET && this.#isMember) return at;
      else if (byte === OPEN_BRACE && !this.#opened) this.#opened = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.#value = new NestedValue();
        continue;
      }
      at += 1;
    }
    return -1;
  }

  #endOfString(read: Buffer, from: number): number {
    const end = this.#string.find(read, from);
    const to = end < 0 ? read.length : end;
    for (let at = from; at < to && this.#agreed >= 0; at += 1) {
      this.#agreed = read[at] === this.#name[this.#agreed] ? this.#agreed + 1 : -1;
    }
    return end;
  }
}
