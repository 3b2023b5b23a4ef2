/**
 * The only door from what an upstream sent to typed values. Total: whatever stands there, each
 * function answers, and the answer for "not that" is null, '' or an empty list.
 */
export type JsonObject = { readonly [key: string]: unknown };

const NONE: readonly unknown[] = [];

/** The object that the text holds, or null where it holds anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    return object(JSON.parse(text));
  } catch {
    return null;
  }
}

export function object(value: unknown): JsonObject | null {
  // After these tests the value is an object with string keys: the cast only gives them a name.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole number from 0 to 2^53 - 1. */
export function whole(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** No answer has more tokens than this; a larger number is a fault of whoever sent it. */
const MOST_TOKENS = 1e9;

/** A count of tokens: a whole number from 0 to a thousand million. */
export function count(value: unknown): number | null {
  const known = whole(value);
  return known !== null && known <= MOST_TOKENS ? known : null;
}

/** A measured quantity, a duration say: finite and not negative. */
export function measure(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
