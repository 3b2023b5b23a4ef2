import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import type { FactSink } from '../../../src/wire/facts.ts';
import { Repeats } from '../../../src/wire/repeats.ts';
import { stretchOf } from '../../../src/wire/stretch.ts';
import { cutAt, cutPlaces } from '../../helpers/cuts.ts';
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
      fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), cutPlaces, (events, places) => {
        const apart = readApart(events);
        const reads = events.map((text) => Buffer.from(text));
        expect(readAnswer(openaiChat, [Buffer.concat(reads)], { head: HEAD }).log.facts).toEqual(apart);
        expect(readAnswer(openaiChat, reads, { head: HEAD }).log.facts).toEqual(apart);
        expect(readAnswer(openaiChat, cutAt(Buffer.concat(reads), places), { head: HEAD }).log.facts).toEqual(apart);
      }),
      { numRuns: 500 },
    );
  });

  const EVENT_BYTES = 200;
  const read = (value: string, rest = '') =>
    Buffer.from(`data: {"id":"x"${rest},"content":${JSON.stringify(value)}}\n\n`);
  /** As the reader drives it: what is not known is parsed, and learned from. */
  function told(sink: Repeats & FactSink, bytes: Buffer, value: string): void {
    expect(sink.tell(stretchOf(bytes))).toBe(0);
    sink.event();
    sink.output(0, 'content', value);
    sink.learn(bytes);
  }
  function afterHello(first = read('Hello')) {
    const log = new FactLog();
    const repeats = new Repeats(log, EVENT_BYTES);
    told(repeats, first, 'Hello');
    return { repeats, texts: () => log.of('output').map((fact) => fact.text) };
  }

  it('are not parsed again, be they in one read or in several', () => {
    const { repeats, texts } = afterHello();
    const two = Buffer.concat([read(' you'), read(' über 😀')]);
    expect(repeats.tell(stretchOf(two))).toBe(two.length);
    expect(texts()).toEqual(['Hello', ' you', ' über 😀']);
  });

  it('are read where they stand among others, and not beyond their end', () => {
    const { repeats, texts } = afterHello();
    const [one, two, three] = [read('a'), read('bc'), read('def')];
    const block = stretchOf(Buffer.concat([one, two, three]));
    const from = one.length;
    expect(repeats.tell({ ...block, from, to: from + two.length })).toBe(two.length);
    expect(texts()).toEqual(['Hello', 'bc']);
    for (let to = from; to < from + two.length; to += 1) expect(repeats.tell({ ...block, from, to })).toBe(0);
    expect(texts()).toEqual(['Hello', 'bc']);
  });

  it('are told up to where another begins', () => {
    const { repeats, texts } = afterHello();
    const known = read(' you');
    expect(repeats.tell(stretchOf(Buffer.concat([known, Buffer.from('data: [DONE]\n\n')])))).toBe(known.length);
    expect(repeats.tell(stretchOf(Buffer.concat([known, known.subarray(0, -1)])))).toBe(known.length);
    expect(texts()).toEqual(['Hello', ' you', ' you']);
  });

  it.each([
    ['a text that needs escapes', read('a"b')],
    ['no text', read('')],
    ['a line end in the text', Buffer.from(read('ab').toString().replace('ab', 'a\nb'))],
    ['another structure', read('you', ',"usage":{"completion_tokens":3}')],
    ['more than an event may', read('y'.repeat(EVENT_BYTES))],
    ['less than an event', read('you').subarray(0, 12)],
    ['nothing', Buffer.alloc(0)],
  ])('are parsed when they hold %s', (_what, next) => {
    expect(afterHello().repeats.tell(stretchOf(next))).toBe(0);
  });

  it.each([
    ['a text that stands there twice', read('Hello', ',"other":"Hello"')],
    ['an escape anywhere', read('Hello', ',"other":"\\\\"')],
  ])('are not learned from %s', (_what, first) => {
    expect(afterHello(first).repeats.tell(stretchOf(first))).toBe(0);
  });

  it('are not learned from a read of two events', () => {
    const { repeats } = afterHello(read('Hello', ',"other":"Hello"'));
    expect(repeats.tell(stretchOf(Buffer.concat([read('a'), read('b')])))).toBe(0);
    for (const text of ['a', 'b']) {
      repeats.event();
      repeats.output(0, 'content', text);
    }
    repeats.learn(Buffer.concat([read('a'), read('b')]));
    expect(repeats.tell(stretchOf(read('b')))).toBe(0);
  });

  it('are given up on where every event differs otherwise', () => {
    const repeats = new Repeats(new FactLog(), EVENT_BYTES);
    for (let stamp = 0; stamp < 12; stamp += 1) told(repeats, read('word', `,"stamp":${stamp}`), 'word');
    expect(repeats.tell(stretchOf(read('word', ',"stamp":11')))).toBe(0);
  });
});
