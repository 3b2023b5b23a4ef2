import type { Spread } from '../../live/spread.ts';
import type { ThroughputSnapshot } from '../../live/upstream-snapshot.ts';
import { rate, short } from './format.ts';

/** Free labels of an upstream as configured: "gpu H100, precision fp8". */
export function labelled(conditions: Readonly<Record<string, string>>): string {
  return Object.entries(conditions)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** "513 in, 108 out": median lengths; nothing where no request has ended. */
export function lengths({ input_tokens: input, output_tokens: output }: Lengths): string {
  const parts = [
    input === null ? null : `${short(input.p50)} in`,
    output === null ? null : `${short(output.p50)} out`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? '' : `${parts.join(', ')} (median tokens)`;
}

interface Lengths {
  input_tokens: Spread | null;
  output_tokens: Spread | null;
}

/** What a throughput came about under, without which it says little. */
export function conditionsSentence(conditions: Omit<ThroughputSnapshot, 'tokens_per_second'>): string {
  const concurrency = `${rate(conditions.concurrency.total)} at once`;
  const both = lengths(conditions);
  return both === '' ? concurrency : `${concurrency}, ${both}`;
}
