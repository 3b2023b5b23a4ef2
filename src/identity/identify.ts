import { apiKeyOf } from './api-key.ts';
import { copied } from './copied.ts';
import { type Headers, headerOf } from './headers.ts';
import { KeyHash } from './key-hash.ts';

/** What of a request may name its user. */
export interface Asker {
  headers: Headers;
  /** The raw request target, query included. */
  target: string;
  /** `user` of the request body; null when it has none, or none is known. */
  bodyUser: string | null;
}

/** `identity` of the configuration, as far as naming goes. */
export interface IdentityRules {
  user: readonly ({ api_key: 'hash' } | { header: string } | { body: 'user' })[];
  /** Null: the fixed one. */
  salt: string | null;
}

/** Names the user of a request, or null where nothing does. */
export type Identifier = (asker: Asker) => string | null;

/** CONTRACT §8: in records a user is cut at 256 characters. */
const LONGEST = 256;

/** Tries the configured sources in order; the first that is present wins. A key is only ever shown as its hash. */
export function createIdentifier(identity: IdentityRules): Identifier {
  const hash = new KeyHash(identity.salt);
  const sources = identity.user.map((source): Identifier => {
    if ('api_key' in source) {
      return ({ headers, target }) => {
        const key = apiKeyOf(headers, target);
        return key === null ? null : hash.nameOf(key);
      };
    }
    if ('body' in source) return ({ bodyUser }) => bodyUser;
    const name = source.header.toLowerCase();
    return ({ headers }) => headerOf(headers, name);
  });
  return (asker) => {
    for (const source of sources) {
      const user = source(asker);
      if (user !== null && user !== '') return cut(user);
    }
    return null;
  };
}

/** Never through the middle of a surrogate pair: half a character is no text. */
function cut(user: string): string {
  return user.length <= LONGEST ? user : copied(user.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, ''));
}
