import { type Headers, headerOf } from './headers.ts';

/** Headers that carry a key as it is, in the order in which they are tried after `Authorization`. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/**
 * The API key of a request: `Authorization` (Bearer or raw), `x-api-key`, `api-key`, `x-goog-api-key`, query `key`.
 * Null where there is none. What this returns is a secret: it is hashed, and goes nowhere else.
 */
export function apiKeyOf(headers: Headers, target: string): string | null {
  const authorization = headerOf(headers, 'authorization');
  const credential = authorization === null ? null : credentialOf(authorization);
  if (credential !== null) return credential;
  for (const name of KEY_HEADERS) {
    const key = headerOf(headers, name);
    if (key !== null) return key;
  }
  return queryKeyOf(target);
}

/**
 * AWS signs every request anew, so only the access key in it stands for a user:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
function credentialOf(authorization: string): string | null {
  const value = authorization.trim();
  if (/^aws4-/i.test(value)) return /\bCredential=([^/,\s]+)/i.exec(value)?.[1] ?? value;
  return value.replace(/^bearer(\s+|$)/i, '') || null;
}

function queryKeyOf(target: string): string | null {
  const start = target.indexOf('?');
  if (start === -1) return null;
  return new URLSearchParams(target.slice(start + 1).replace(/#.*$/s, '')).get('key') || null;
}
