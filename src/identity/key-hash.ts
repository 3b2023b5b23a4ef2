import { createHmac } from 'node:crypto';
import { copied } from './copied.ts';

/** Keys the hash where no salt is configured: names survive a restart, and any Pitot gives the same. */
const FIXED_SALT = 'pitot';

/** A gateway sees the same few keys over and over; what goes beyond is hashed again. */
const MAX_CACHED = 4_096;
const MAX_CACHED_LENGTH = 512;

/** 64 bits: among a million keys, two share a name with a chance of 1 in 37 million. */
const HEX_DIGITS = 16;

/** Names keys by a keyed hash (HMAC-SHA-256), from which no key can be found without the salt and a guess. */
export class KeyHash {
  readonly #salt: string;
  /** Oldest first, which is the order in which a Map keeps its keys. */
  readonly #names = new Map<string, string>();

  constructor(salt: string | null) {
    this.#salt = salt || FIXED_SALT;
  }

  /** `key-` and 16 hexadecimal digits. */
  nameOf(key: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', this.#salt).update(key).digest('hex');
    const name = `key-${digest.slice(0, HEX_DIGITS)}`;
    if (key.length <= MAX_CACHED_LENGTH) this.#remember(key, name);
    return name;
  }

  #remember(key: string, name: string): void {
    const [oldest] = this.#names.keys();
    if (this.#names.size >= MAX_CACHED && oldest !== undefined) this.#names.delete(oldest);
    // A key may be a short part of a long header.
    this.#names.set(copied(key), name);
  }
}
