import { describe, expect, it } from 'vitest';
import type { UncountedText } from '../../../src/meter/local-counting.ts';
import type { Ending } from '../../../src/meter/outcome.ts';
import { type CountLocally, localCounting } from '../../helpers/local-counting.ts';
import { type MeteredOptions, metered, text, usage } from '../../helpers/metered.ts';
import type { Script } from '../../helpers/scripted-dialect.ts';

const PROMPT = new TextEncoder().encode('{"model":"m","messages":[]}');

/** A tokenizer that says eleven and five, and writes down what it was given. */
function elevenAndFive(bytes: Parameters<typeof localCounting>[1] = {}) {
  const given: UncountedText[] = [];
  const count: CountLocally = async (uncounted) => {
    given.push(uncounted);
    return { outputTokens: 11, inputTokens: uncounted.input === null ? null : 5 };
  };
  return { given, counting: localCounting(count, bytes) };
}

async function request(scripts: readonly Script[], options: MeteredOptions, kind: Ending['kind'] = 'upstream_end') {
  const { meter, begin, arrive, clock, finished, ledger, account } = metered(scripts, options);
  begin();
  meter.prompt(PROMPT);
  if (scripts.length > 0) arrive(10, scripts.length);
  meter.finish({ kind, status: 200, error: null }, clock.nowMs());
  // The count is a promise of the test, so its record is there after the microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  return { record: finished[0]?.record, ledger, clock, account };
}

describe('what is counted here', () => {
  it('answer and prompt of an upstream that reports nothing', async () => {
    const { given, counting } = elevenAndFive();
    const { record } = await request([text('hi'), text(' you')], { localCounting: counting });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 11, input_tokens: 5 });
    expect(given).toEqual([
      { model: 'm', output: [{ choice: 0, channel: 'content', text: 'hi you' }], input: { json: PROMPT } },
    ]);
  });

  it('both, too, of an answer that broke off before its upstream would have reported', async () => {
    const { given, counting } = elevenAndFive();
    const { ledger, clock, account } = await request([text('a'), usage(3, 9)], { localCounting: counting });
    expect([given, account.expectsReport]).toEqual([[], true]);
    const broken = await request([text('hi')], { localCounting: counting, ledger, clock }, 'client_left');
    expect(broken.record).toMatchObject({ usage_source: 'estimated', output_tokens: 11, input_tokens: 5 });
  });

  it('not what the upstream reported, and of its running count not the output', async () => {
    const { given, counting } = elevenAndFive();
    const reported = await request([text('a'), usage(3, 9)], { localCounting: counting });
    expect(reported.record).toMatchObject({ usage_source: 'reported', output_tokens: 9 });
    const running = (sink: Parameters<Script>[0]) => {
      sink.output(0, 'content', 'a');
      sink.usage({ outputTokens: 4 }, false);
    };
    const { record } = await request([running], { localCounting: counting, terminal: 1 });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 4, input_tokens: 5 });
    expect(given).toEqual([{ model: 'm', output: [], input: { json: PROMPT } }]);
  });

  it('nothing where nothing was generated, or estimates are off', async () => {
    const { given, counting } = elevenAndFive();
    const silent = await request([], { localCounting: counting });
    const off = await request([text('a')], { localCounting: counting, estimates: false });
    expect([silent.record?.usage_source, off.record?.usage_source, given]).toEqual(['none', 'none', []]);
    expect([counting.prepared, counting.results]).toEqual([['m'], []]);
  });
});

describe('how it went', () => {
  it.each([
    ['counted', { outputTokens: 11, inputTokens: 5 }, 11],
    ['extrapolated', { outputTokens: 11, inputTokens: 5, isExtrapolated: true }, 11],
    ['fell_back', null, 2],
    ['fell_back', { outputTokens: null, inputTokens: 5 }, 2],
  ] as const)('is told: %s', async (result, counted, outputTokens) => {
    const counting = localCounting(async () => counted);
    const { record } = await request([text('hi'), text(' you')], { localCounting: counting });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: outputTokens });
    expect(counting.results).toEqual([result]);
  });

  it('is not told of answers that need no count of ours', async () => {
    const counting = localCounting(async () => null);
    await request([text('a'), usage(3, 9)], { localCounting: counting });
    await request([(sink) => sink.output(0, 'audio', 'UklGRg==')], { localCounting: counting });
    expect(counting.results).toEqual([]);
  });
});

describe('what is kept for it', () => {
  it.each(['upstream_end', 'client_left', 'upstream_reset', 'gateway_shutdown'] as const)(
    'is given back when the request ends: %s',
    async (kind) => {
      const { counting } = elevenAndFive();
      await request([text('hi')], { localCounting: counting }, kind);
      await request([text('hi'), usage(3, 9)], { localCounting: counting }, kind);
      await request([], { localCounting: counting }, kind);
      expect([counting.prompts.bytes, counting.outputs.bytes]).toEqual([0, 0]);
    },
  );

  it('is no prompt where all prompts are too much: then the input stays unknown', async () => {
    const { counting } = elevenAndFive({ prompts: PROMPT.length - 1 });
    const { record } = await request([text('hi')], { localCounting: counting });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 11, input_tokens: null });
  });

  it('is no output where all outputs are too much: then the live estimate serves, and the prompt is counted', async () => {
    const given: UncountedText[] = [];
    const count: CountLocally = async (uncounted) => {
      given.push(uncounted);
      return { outputTokens: null, inputTokens: 5 };
    };
    const counting = localCounting(count, { outputs: 0 });
    const { record } = await request([text('hi')], { localCounting: counting });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 1, input_tokens: 5 });
    expect([given, counting.results]).toEqual([[{ model: 'm', output: [], input: { json: PROMPT } }], ['fell_back']]);
  });

  it('is nothing at all where there is no room: then nobody is asked', async () => {
    const { given, counting } = elevenAndFive({ prompts: 0, outputs: 0 });
    const { record } = await request([text('hi')], { localCounting: counting });
    expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 1, input_tokens: null });
    expect([given, counting.results]).toEqual([[], ['fell_back']]);
  });
});

describe('preparing', () => {
  it('begins with the request, unless its upstream is known to count', async () => {
    const { counting } = elevenAndFive();
    const first = metered([text('a'), usage(3, 9)], { localCounting: counting });
    first.begin();
    expect(counting.prepared).toEqual(['m']);
    first.arrive(10, 2);
    first.finish();
    metered([text('a')], { localCounting: counting, ledger: first.ledger, clock: first.clock }).begin();
    expect(counting.prepared).toEqual(['m']);
  });
});

describe('the live counter of an upstream that never reports', () => {
  it('is within a tenth of the truth in mid-stream after five finished requests', async () => {
    // Four tokens of five characters a chunk, as with speculative decoding.
    const chunk = text('12345'.repeat(4));
    const count: CountLocally = async ({ output }) => ({
      outputTokens: (output[0]?.text.length ?? 0) / 5,
      inputTokens: null,
    });
    const counting = localCounting(count);
    const { ledger, clock } = await request([chunk, chunk, chunk], { localCounting: counting });
    for (const chunks of [10, 5, 8, 12]) {
      await request(Array(chunks).fill(chunk), { localCounting: counting, ledger, clock });
    }
    const counted = () => [...ledger.series()].reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    const before = counted();
    const running = metered(Array(50).fill(chunk), { localCounting: counting, ledger, clock });
    running.begin();
    running.arrive(10, 30);
    expect(Math.abs(counted() - before - 30 * 4) / (30 * 4)).toBeLessThan(0.1);
  });
});
