import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import type { FactSink } from '../../../src/wire/facts.ts';
import { Repeats } from '../../../src/wire/repeats.ts';
import { type Fact, FactLog, headOf, readAnswer } from '../../helpers/fact-log.ts';

const HEAD = headOf('text/event-stream');

/** The facts of each event read by itself, where nothing can be remembered; a model name is told once. */
function readApart(events: readonly string[]): Fact[] {
  const facts = events.flatMap((event) => readAnswer(openaiChat, [Buffer.from(event)], { head: HEAD }).log.facts);
  const first = facts.findIndex(({ kind }) => kind === 'model');
  return facts.filter(({ kind }, place) => kind !== 'model' || place === first);
}

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  // What could be taken for something else: keys of the event, quotes, escapes, what another field holds.
  fc.constantFrom('content', 'id', 'delta', 'm', '"', '\\', '\\u0041', '","x":"', '}', '\n', '', 'stop', '0'),
);
const channel = fc.constantFrom('content', 'reasoning', 'reasoning_content', 'refusal');
const event = fc
  .record({
    index: fc.constantFrom(0, 0, 0, 1),
    channel,
    text,
    stamp: fc.constantFrom(1, 1, 1, 2),
    again: fc.boolean(),
  })
  .map(({ index, channel: name, text: value, stamp, again }) => {
    const delta = again ? { [name]: value, [`${name}_again`]: value } : { [name]: value };
    return `data: ${JSON.stringify({ id: 'id', model: 'm', created: stamp, choices: [{ index, delta, finish_reason: null }] })}\n\n`;
  });

describe('events that differ in their text only', () => {
  it('tell the same facts as if each had been parsed', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), (events) => {
        const together = readAnswer(openaiChat, [Buffer.from(events.join(''))], { head: HEAD });
        expect(together.log.facts).toEqual(readApart(events));
      }),
      { numRuns: 500 },
    );
  });

  const told = (sink: FactSink, value: string) => {
    sink.event();
    sink.output(0, 'content', value);
  };
  const data = (value: string, rest = '') => `{"id":"x"${rest},"content":${JSON.stringify(value)}}`;

  it('are not parsed again', () => {
    const log = new FactLog();
    const repeats = new Repeats(log);
    told(repeats, 'Hello');
    repeats.learn(data('Hello'));
    expect(repeats.tell(data(' you'))).toBe(true);
    expect(log.of('output').map((fact) => fact.text)).toEqual(['Hello', ' you']);
  });

  it.each([
    ['a text that needs escapes', data('a"b')],
    ['another structure', data('you', ',"usage":{"completion_tokens":3}')],
    ['a shorter event', '{"id":"x"'],
  ])('are parsed when they hold %s', (_what, next) => {
    const repeats = new Repeats(new FactLog());
    told(repeats, 'Hello');
    repeats.learn(data('Hello'));
    expect(repeats.tell(next)).toBe(false);
  });

  it.each([
    ['a text that stands there twice', data('x')],
    ['an escape anywhere', data('Hello', ',"other":"\\\\"')],
  ])('are not learned from %s', (_what, first) => {
    const repeats = new Repeats(new FactLog());
    told(repeats, JSON.parse(first).content);
    repeats.learn(first);
    expect(repeats.tell(first)).toBe(false);
  });

  it('are given up on where every event differs otherwise', () => {
    const repeats = new Repeats(new FactLog());
    for (let stamp = 0; stamp < 12; stamp += 1) {
      told(repeats, 'word');
      repeats.learn(data('word', `,"stamp":${stamp}`));
    }
    expect(repeats.tell(data('word', ',"stamp":11'))).toBe(false);
  });
});
