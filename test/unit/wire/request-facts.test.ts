import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FACTS as NOTHING, type RequestFacts, readRequestFacts } from '../../../src/wire/request-facts.ts';

const read = (body: string | Buffer): RequestFacts | null => readRequestFacts(Buffer.from(body));

/** A list of texts, lists or objects is one of prompts; one with a number in it is token ids, and so one prompt. */
function promptsIn(prompt: unknown): number | null {
  if (prompt === undefined) return null;
  const isList =
    Array.isArray(prompt) &&
    prompt.every((item) => typeof item === 'string' || (typeof item === 'object' && item !== null));
  return isList ? Math.max(1, prompt.length) : 1;
}

/** What JSON.parse makes of a body: the truth for whole ones. */
function parsed(body: string): RequestFacts | null {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { model, stream, user, n, prompt } = value as Record<string, unknown>;
  return {
    model: typeof model === 'string' && model !== '' ? model : null,
    stream: typeof stream === 'boolean' ? stream : null,
    user: typeof user === 'string' && user !== '' ? user : null,
    choices: typeof n === 'number' && Number.isSafeInteger(n) && n >= 0 ? n : null,
    prompts: promptsIn(prompt),
    setsUsage: Object.hasOwn(value, 'stream_options') || Object.hasOwn(value, 'include_usage'),
    echo: null, // none of its keys are made here; see prompt-echo.test.ts
  };
}

const key = fc.oneof(
  fc.constantFrom(
    'model',
    'stream',
    'user',
    'n',
    'stream_options',
    'include_usage',
    'messages',
    'prompt',
    '\\',
    '"',
    'mod\\u0065l',
  ),
  fc.string(),
);
const value = fc.oneof(
  fc.boolean(),
  fc.nat(9),
  fc.double(),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.json().map((json) => JSON.parse(json) as unknown),
  fc.array(fc.oneof(fc.string(), fc.array(fc.nat(9)), fc.nat(9)), { maxLength: 4 }),
);
/** Objects as text, with duplicate keys, escapes and white space as senders write them. */
const body = fc
  .tuple(fc.array(fc.tuple(key, value), { maxLength: 8 }), fc.constantFrom('', ' ', '\n\t', '\r\n'))
  .map(([members, blank]) => {
    const texts = members.map(
      ([name, member]) => `${JSON.stringify(name)}${blank}:${blank}${JSON.stringify(member ?? null)}${blank}`,
    );
    return `${blank}{${blank}${texts.join(`,${blank}`)}}${blank}`;
  });

describe('the facts of a request body', () => {
  it('are what JSON.parse would give, for any whole body', () => {
    fc.assert(
      fc.property(body, (text) => {
        expect(read(text)).toEqual(parsed(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('never make it throw, whatever the bytes', () => {
    const structural = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'model', 'n', '1', 'true'),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          structural.map((text) => Buffer.from(text)),
        ),
        (bytes) => void readRequestFacts(bytes),
      ),
    );
  });

  it('of a cut body are those that stand whole in it, never half of one', () => {
    const text = '{"model":"gpt-4o","n":12,"stream":true,"messages":[{"content":"x"}],"user":"u"}';
    const whole = parsed(text);
    for (let length = 1; length <= text.length; length += 1) {
      const facts = read(text.slice(0, length));
      for (const [name, fact] of Object.entries(facts ?? {})) {
        if (fact !== null) expect(fact).toBe(whole?.[name as keyof RequestFacts]);
      }
    }
    expect(read(text.slice(0, 60))).toEqual({ ...NOTHING, model: 'gpt-4o', stream: true, choices: 12 });
  });

  it('stand at the top level only', () => {
    expect(read('{"a":{"model":"x","stream":true},"b":[{"user":"y"}],"c":"\\"model\\":\\"z\\""}')).toEqual(NOTHING);
  });

  it('are read behind a byte order mark, and through escapes in keys and values', () => {
    expect(read('\uFEFF {"\\u006dodel":"a\\u002fb\\n","stre\\u0061m":false}')).toEqual({
      ...NOTHING,
      model: 'a/b\n',
      stream: false,
    });
  });

  it('come from the last of duplicate keys, of whatever type it is', () => {
    expect(read('{"model":"a","model":"b"}')?.model).toBe('b');
    expect(read('{"model":"a","model":5}')?.model).toBeNull();
  });

  it.each(['', ' ', '[{"model":"a"}]', '"model"', 'null', '--boundary', 'model=a'])(
    'are none of what is no object: %s',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it('survive bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"x":"'),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from('","model":"m'),
      Buffer.from([0xc3]),
      Buffer.from('"}'),
    ]);
    expect(read(bytes)).toEqual({ ...NOTHING, model: 'm\uFFFD' });
  });

  it('survive any depth and any run of backslashes', () => {
    const deep = `{"a":${'['.repeat(300_000)}${']'.repeat(300_000)},"model":"m"}`;
    const slashes = `{"a":"${'\\\\'.repeat(100_000)}","b":"${'\\"'.repeat(100_000)}","model":"m"}`;
    expect([read(deep)?.model, read(slashes)?.model]).toEqual(['m', 'm']);
  });

  it('are found behind a 40 MB image without parsing it', () => {
    const image = Buffer.alloc(40 * 1024 * 1024, 'QUJD');
    const whole = Buffer.concat([Buffer.from('{"messages":[{"content":"'), image, Buffer.from('"}],"model":"m"}')]);
    expect(read(whole)?.model).toBe('m');
  });
});

it('counts prompts as SGLang names them, and not beyond what an answer can have', () => {
  expect([read('{"text":["a","b"]}')?.prompts, read('{"input_ids":[[1],[2],[3]]}')?.prompts]).toEqual([2, 3]);
  expect(read(JSON.stringify({ prompt: Array.from({ length: 5000 }, () => 'a') }))?.prompts).toBe(1024);
});
