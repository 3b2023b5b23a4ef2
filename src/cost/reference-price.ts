import { globOf } from '../config/glob.ts';
import type { Config } from '../config/schema.ts';

/** Dollars per million tokens at the API one compares with; null where the configuration names no price. */
export interface ReferencePrice {
  input: number | null;
  cachedInput: number | null;
  output: number | null;
}

/** Tokens of one kind of traffic. `cachedInput` is the part of `input` that came from a cache. */
export interface PricedTokens {
  input: number;
  cachedInput: number;
  output: number;
}

export type PriceOf = (model: string) => ReferencePrice | null;

/** The price of a model: of the first entry of `models` that matches its name. Cached input without a price of its own costs what input does. */
export function referencePrices(models: Config['models']): PriceOf {
  const entries = models.map(({ match, reference_price: price }) => ({ matches: globOf(match), price }));
  return (model) => {
    const price = entries.find(({ matches }) => matches(model))?.price ?? null;
    if (price === null) return null;
    return { input: price.input, cachedInput: price.cached_input ?? price.input, output: price.output };
  };
}

/** What these tokens cost there, in dollars. A kind without a price costs nothing. */
export function referenceDollars(price: ReferencePrice, { input, cachedInput, output }: PricedTokens): number {
  const cached = Math.min(cachedInput, input);
  const millionths =
    (input - cached) * (price.input ?? 0) + cached * (price.cachedInput ?? 0) + output * (price.output ?? 0);
  return millionths / 1e6;
}
