import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerHead, Dialect, UsageSnapshot } from '../../src/wire/facts.ts';
import { type CorpusEntry, corpusBody, corpusEntries, mediaTypeOf } from '../helpers/corpus.ts';
import { byteByByte, cutAt, cutPlaces } from '../helpers/cuts.ts';
import { headOf, type ReadAnswer, readAnswer } from '../helpers/fact-log.ts';

/** What a family of formats promises of its recordings, where it is not what all promise. */
export interface RecordedFamily {
  /** The dialect that reads each format of the corpus. */
  dialects: Readonly<Record<string, Dialect>>;
  /** How many recordings there are, so that none is left out unseen. */
  count: number;
  /** The provider's numbers in canonical form, with nothing that was not said; by default `canonicalUsage`. */
  usage?: (entry: CorpusEntry) => UsageSnapshot;
  /** The reason told for the first choice; not looked at where it is not given. */
  finishReason?: (entry: CorpusEntry) => string | null;
  /** Length of the text, where the index has another than the recording (it leaves some formats out). */
  characters?: (entry: CorpusEntry) => number;
  /** Whether the answer ended with its marker; by default all did that did not fail. */
  complete?: (entry: CorpusEntry) => boolean;
  /** Anything more. */
  more?: (entry: CorpusEntry, answer: ReadAnswer) => void;
}

/**
 * Reads every recording of a family: whole, byte by byte and cut anywhere. Its usage is the
 * provider's own, its text what was recorded, and nothing in it was unreadable.
 */
export function describeRecordings(family: RecordedFamily): void {
  const entries = corpusEntries(Object.keys(family.dialects));
  const named = (entries ?? []).map((entry) => ({ name: entry.file.replace('streams/', ''), entry }));

  describe.skipIf(entries === null)('a recorded answer', () => {
    it(`stands for ${family.count} of its formats, and none is left out`, () => {
      expect(named).toHaveLength(family.count);
    });

    describe.each(named)('$name', ({ entry }) => describeRecording(family, entry));
  });
}

/**
 * What the total holds beyond input and output is output (reasoning that is counted apart). OpenAI's
 * cache writes stand in the usage object only; the index does not repeat them.
 */
export function canonicalUsage({ expected, usage_raw }: CorpusEntry): UsageSnapshot {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens } = expected;
  const raw = (usage_raw ?? {}) as Record<string, { cache_write_tokens?: number } | undefined>;
  const details = raw['prompt_tokens_details'] ?? raw['input_tokens_details'];
  const output = output_tokens === null ? null : Math.max(output_tokens, (total_tokens ?? 0) - (input_tokens ?? 0));
  return said({
    inputTokens: input_tokens,
    outputTokens: output,
    cachedInputTokens: cached_tokens,
    cacheWriteInputTokens: expected.cache_write_tokens ?? details?.cache_write_tokens,
    reasoningTokens: reasoning_tokens,
  });
}

/** The counts that are there. */
export function said(counts: { readonly [Field in keyof UsageSnapshot]: number | null | undefined }): UsageSnapshot {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null && value !== undefined));
}

export const isOk = (entry: CorpusEntry): boolean => entry.status < 300;
export const hasFailed = (entry: CorpusEntry): boolean => entry.features.includes('error_mid_stream');

function describeRecording(family: RecordedFamily, entry: CorpusEntry): void {
  const dialect = family.dialects[entry.format] as Dialect; // entries were chosen by these formats
  const bytes = corpusBody(entry);
  const head: AnswerHead = headOf(mediaTypeOf(entry), entry.status);
  const whole = readAnswer(dialect, [bytes], { head });

  it('gives the provider’s own usage, as its last word', () => {
    const usage = (family.usage ?? canonicalUsage)(entry);
    expect(whole.log.merged).toEqual(usage);
    expect(whole.log.hasFinalUsage).toBe(entry.expected.has_usage);
  });

  it('gives the text of its first choice, and all its channels', () => {
    const characters = family.characters?.(entry) ?? entry.output_text_chars;
    expect([...whole.log.text('content', 0)]).toHaveLength(isOk(entry) ? characters : 0);
    const hasTools = entry.features.some((feature) => ['tool_calls', 'function_call_legacy'].includes(feature));
    if (hasTools) expect(whole.log.text('tool')).not.toBe('');
  });

  it('is complete unless the recording failed, says why it ended, and reads without a fault', () => {
    expect(whole.complete).toBe(family.complete?.(entry) ?? (isOk(entry) && !hasFailed(entry)));
    expect(whole.log.of('failed').length > 0).toBe(hasFailed(entry));
    expect(whole.streamed).toBe(isOk(entry) && entry.framing !== 'json');
    expect(whole.log.degradations).toEqual([]);
    const reason = whole.log.of('choiceEnded').find((fact) => fact.choice === 0)?.reason ?? null;
    if (family.finishReason !== undefined) expect(reason).toBe(family.finishReason(entry));
    family.more?.(entry, whole);
  });

  it('gives the same facts however it is cut', () => {
    expect(readAnswer(dialect, byteByByte(bytes), { head })).toEqual(whole);
    fc.assert(
      fc.property(cutPlaces, (places) => {
        expect(readAnswer(dialect, cutAt(bytes, places), { head })).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
}
