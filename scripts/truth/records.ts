import { median, percentile } from '../bench/statistics.ts';
import type { Written } from './emissions.ts';
import type { Told } from './parties.ts';

/** Relative errors without their sign: of the middle one, and of all but one in a hundred. */
export interface Spread {
  readonly p50: number | null;
  readonly p99: number | null;
}

/** What the usage records say, held against the answers they are about. */
export interface RecordErrors {
  readonly records: number;
  /** Answers without a record, or records without an answer. */
  readonly unmatched: number;
  /** Of answers that were not left by their client: another count of tokens than was written. */
  readonly miscounted: number;
  /** Tokens in records less tokens written, of answers that their clients left. */
  readonly leftTokens: { readonly answers: number; readonly written: number; readonly recorded: number };
  /** Of answers that were read to their end and never held up by their client. */
  readonly ttft: Spread;
  readonly tpot: Spread;
  readonly longestGap: Spread;
  readonly blockedRecords: number;
  readonly sources: Readonly<Record<string, number>>;
}

/** Times are compared of answers that began at `warmUs` or later: the code that reads them is compiled by then. */
export function recordErrors(records: readonly Told[], written: readonly Written[], warmUs: number): RecordErrors {
  const told = new Map(records.map((record) => [record.request_id, record]));
  const pairs = written.flatMap((answer) => {
    const record = told.get(answer.id);
    return record === undefined ? [] : [{ answer, record }];
  });
  const left = pairs.filter(({ answer }) => answer.end === 'left');
  const ended = pairs.filter(({ answer }) => answer.end !== 'left');
  const flowing = ended.filter(({ record }) => (record.client_blocked_ms ?? 0) === 0);
  const warm = flowing.filter(({ answer }) => answer.readUs >= warmUs);
  const errors = (of: (pair: Pair) => [number | null, number | null]) => spreadOf(warm.map(of));
  return {
    records: records.length,
    unmatched: written.length - pairs.length + records.length - pairs.length,
    miscounted: ended.filter(({ answer, record }) => record.output_tokens !== answer.tokens).length,
    leftTokens: {
      answers: left.length,
      written: sum(left.map(({ answer }) => answer.tokens)),
      recorded: sum(left.map(({ record }) => record.output_tokens ?? 0)),
    },
    ttft: errors(({ answer, record }) => [record.ttft_ms, ttftMs(answer)]),
    tpot: errors(({ answer, record }) => [record.tpot_ms, tpotMs(answer)]),
    longestGap: errors(({ answer, record }) => [record.longest_gap_ms, answer.longestGapUs / 1000]),
    blockedRecords: ended.length - flowing.length,
    sources: countBy(records.map(({ usage_source }) => usage_source)),
  };
}

interface Pair {
  readonly answer: Written;
  readonly record: Told;
}

export function ttftMs({ readUs, firstUs }: Written): number | null {
  return firstUs === null ? null : (firstUs - readUs) / 1000;
}

export function tpotMs({ firstUs, lastUs, tokens, chunks }: Written): number | null {
  return firstUs === null || lastUs === null || chunks < 2 ? null : (lastUs - firstUs) / 1000 / (tokens - 1);
}

function spreadOf(pairs: readonly [number | null, number | null][]): Spread {
  const errors = pairs.flatMap(([is, was]) =>
    is === null || was === null || was === 0 ? [] : [Math.abs(is / was - 1)],
  );
  const rising = errors.sort((a, b) => a - b);
  return { p50: median(rising), p99: percentile(rising, 0.99) };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
