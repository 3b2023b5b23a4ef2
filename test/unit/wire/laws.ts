import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnswerHead, Dialect } from '../../../src/wire/facts.ts';
import { byteByByte, cutAt, cutPlaces, mutations } from '../../helpers/cuts.ts';
import { readAnswer, SILENT } from '../../helpers/fact-log.ts';

/** An answer on which a dialect is tried. */
export interface SampleAnswer {
  name: string;
  head: AnswerHead;
  body: string | Uint8Array;
}

/**
 * The laws of every dialect, as tests of the surrounding `describe`. A new dialect calls this with
 * answers of its own: streamed, unstreamed, and one that only opens and closes (`withoutOutput`).
 * `framed` wraps a message where that is neither an event nor a body.
 */
export function dialectLaws(
  dialect: Dialect,
  samples: { answers: SampleAnswer[]; withoutOutput: SampleAnswer[]; framed?: (json: string) => Uint8Array },
): void {
  const all = [...samples.answers, ...samples.withoutOutput].map((sample) => ({
    ...sample,
    bytes: bytesOf(sample.body),
  }));

  it.each(all)('tells the same facts however the bytes are cut: $name', ({ head, bytes }) => {
    const whole = readAnswer(dialect, [bytes], { head });
    expect(readAnswer(dialect, byteByByte(bytes), { head })).toEqual(whole);
    fc.assert(
      fc.property(cutPlaces, (places) => {
        expect(readAnswer(dialect, cutAt(bytes, places), { head })).toEqual(whole);
      }),
    );
  });

  it.each(all)('never throws on nearly right bytes, and their cut does not matter either: $name', ({ head, bytes }) => {
    fc.assert(
      fc.property(mutations(bytes), cutPlaces, fc.boolean(), (mutated, places, whole) => {
        const eventBytes = 300;
        const expected = readAnswer(dialect, [mutated], { head, whole, eventBytes });
        expect(readAnswer(dialect, cutAt(mutated, places), { head, whole, eventBytes })).toEqual(expected);
      }),
    );
  });

  it('never throws on noise', () => {
    const head = fc.constantFrom<AnswerHead>(...all.map((sample) => sample.head));
    fc.assert(
      fc.property(
        head,
        fc.uint8Array({ maxLength: 200 }),
        (head, noise) => void readAnswer(dialect, [noise], { head }),
      ),
    );
  });

  it('never throws on its own keys with any values, and takes no count from them that is none', () => {
    fc.assert(
      fc.property(messagesOf(all.map((sample) => sample.bytes.toString())), (message) => {
        const json = JSON.stringify(message);
        const bodies = [json, `data: ${json}\n\n`].map((body) => Buffer.from(body));
        for (const { head } of all) {
          for (const body of samples.framed === undefined ? bodies : [...bodies, samples.framed(json)]) {
            const { log } = readAnswer(dialect, [body], { head });
            for (const { snapshot } of log.of('usage')) {
              for (const tokens of Object.values(snapshot))
                expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
            }
            for (const { text } of log.of('output')) expect(text).not.toBe('');
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(all)('reads nothing of a failed answer, whose body is an error: $name', ({ head, bytes }) => {
    expect(readAnswer(dialect, [bytes], { head: { ...head, status: 500 } }).log.of('usage')).toEqual([]);
  });

  it.each(samples.withoutOutput)('takes no output from what only frames it: $name', ({ head, body }) => {
    expect(readAnswer(dialect, [bytesOf(body)], { head }).log.of('output')).toEqual([]);
  });

  it.each(all)('holds no more than an event may be long: $name', ({ head, bytes }) => {
    const piece = Buffer.alloc(64 * 1024, bytes.subarray(0, 64));
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at)) piece[at] = 0x20;
    const opened = dialect.open(head, { ...SILENT }, 256 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let i = 0; i < 256; i += 1) {
      opened?.reader.push(piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    opened?.reader.end(false);
    expect(most).toBeLessThan(1024 * 1024);
  });
}

function bytesOf(body: string | Uint8Array): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
}

/** Objects of the keys that stand in these answers, nested anyhow, holding anything. */
function messagesOf(bodies: readonly string[]): fc.Arbitrary<unknown> {
  const keys = [...bodies.join().matchAll(/"(\w+)"\s*:/g)].map((match) => match[1] ?? '');
  const scalar = fc.oneof(fc.constantFrom(null, true, 0, -1, 1.5, 7, 2 ** 53, 1e300, '', 'x', '12'), fc.integer());
  return fc.object({
    key: fc.constantFrom(...new Set(keys)),
    values: [scalar],
    maxDepth: 5,
    maxKeys: 6,
    withNullPrototype: false,
  });
}
