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

/** A count: a whole number from 0 to 2^53 - 1. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** A measured quantity, a duration say: finite and not negative. */
export function measure(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
