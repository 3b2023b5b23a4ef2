import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { AddedUsageRemover } from '../../src/wire/added-usage.ts';
import { spliceUsageAsk } from '../../src/wire/usage-ask.ts';
import { cutAt, cutPlaces } from '../helpers/cuts.ts';
import { TestGateway } from '../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../helpers/http-bytes.ts';
import { RawUpstream } from '../helpers/raw-upstream.ts';
import { CHAT } from '../helpers/usage-upstream.ts';
import { type Hand, hand, type Member, oddNumber, quoted, written } from './json-text.ts';
import { law } from './law.ts';
import { edits, mutated } from './mutations.ts';
import { INTERESTING, recordings } from './recordings.ts';
import { ask } from './seen.ts';

const QUESTION = ',"stream_options":{"include_usage":true}';
/** More than what is parsed to be asked. */
const LARGE_BYTES = 300_000;

const value = fc.oneof(
  oddNumber,
  fc.json(),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const members: fc.Arbitrary<Member[]> = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom('stream', 'stream', 'model', 'messages', 'seed', 'include_usage', 'stream_options'),
      value,
    ),
    fc.tuple(fc.constant('stream'), fc.constantFrom('true', 'true', 'false', 'null')),
    fc.tuple(fc.string(), value),
  ),
  { maxLength: 7 },
);
const padding = fc.constantFrom(0, 0, 0, LARGE_BYTES);

function bodyOf(of: { members: readonly Member[]; hand: Hand; padding: number; isMarked: boolean }): Buffer {
  const pad: Member = ['image', quoted('é"\\ x'.repeat(of.padding / 6), of.hand.escapeEach)];
  const text = written(of.padding > 0 ? [pad, ...of.members] : of.members, of.hand);
  return Buffer.from(`${of.isMarked ? '\uFEFF' : ''}${text}`);
}

/** What a server would read; undefined for what it refuses. */
function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const request = fc.record({ members, hand, padding, isMarked: fc.constantFrom(false, false, true) });

describe('asking for usage', () => {
  law(
    'adds one member to a body that leaves it open, and no other byte',
    300,
    fc.property(request, (of) => {
      const body = bodyOf(of);
      const before = parsed(body);
      if (before === undefined) throw new Error('the writer of this test writes JSON');
      const asked = spliceUsageAsk(body);
      const isOpen =
        before['stream'] === true &&
        !Object.hasOwn(before, 'stream_options') &&
        !Object.hasOwn(before, 'include_usage');
      expect(asked !== null).toBe(isOpen);
      if (asked === null) return;
      expect(parsed(asked)).toEqual({ ...before, stream_options: { include_usage: true } });
      expect(withoutQuestion(asked).equals(body)).toBe(true);
    }),
  );

  law(
    'leaves a body that is no JSON one that is none',
    250,
    fc.property(request, edits(INTERESTING), (of, changes) => {
      const body = mutated(bodyOf(of), changes);
      const asked = spliceUsageAsk(body);
      if (asked === null) return;
      expect(withoutQuestion(asked).equals(body)).toBe(true);
      expect(parsed(asked) === undefined).toBe(parsed(body) === undefined);
    }),
  );
});

function withoutQuestion(asked: Buffer): Buffer {
  const at = asked.lastIndexOf(QUESTION);
  return Buffer.concat([asked.subarray(0, at), asked.subarray(at + QUESTION.length)]);
}

const chats = recordings.filter(({ entry }) => entry.format === 'openai.chat' && entry.framing === 'sse');
const USAGE =
  'data: {"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';

const STREAM_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

const answer = fc.record({
  recording: fc.nat(Math.max(0, chats.length - 1)),
  edits: edits(INTERESTING, 3),
  /** Behind which of its events the added chunk comes. */
  behind: fc.nat(40),
});
interface Answer {
  recording: number;
  edits: Parameters<typeof mutated>[1];
  behind: number;
}

/** A stream, and the same with the chunk in it that was asked for. */
function streamsOf(of: Answer): { plain: Buffer; asked: Buffer } {
  const plain = mutated(chats[of.recording]?.bytes ?? Buffer.alloc(0), of.edits);
  const ends = [0];
  for (let at = plain.indexOf('\n\n'); at >= 0; at = plain.indexOf('\n\n', at + 2)) ends.push(at + 2);
  const place = ends[Math.max(0, ends.length - 1 - of.behind)] ?? 0;
  return { plain, asked: Buffer.concat([plain.subarray(0, place), Buffer.from(USAGE), plain.subarray(place)]) };
}

function relayed(pieces: Iterable<Uint8Array>): { bytes: Buffer; removed: number } {
  const remover = new AddedUsageRemover();
  const out: Buffer[] = [];
  for (const piece of pieces) out.push(remover.push(piece));
  out.push(remover.end());
  return { bytes: Buffer.concat(out), removed: remover.removed };
}

describe.skipIf(chats.length === 0)('the chunk that was asked for', () => {
  law(
    'is gone, and nothing else with it, however the stream is cut',
    300,
    fc.property(answer, cutPlaces, (of, places) => {
      const { plain, asked } = streamsOf(of);
      const expected = relayed([plain]);
      // Where the recording has no such chunk of its own, nothing is taken from it.
      if (expected.removed === 0) expect(expected.bytes.equals(plain)).toBe(true);
      const found = relayed(cutAt(asked, places));
      expect(found.bytes.toString('latin1')).toBe(expected.bytes.toString('latin1'));
      expect(found.removed).toBe(expected.removed + 1);
    }),
  );

  describe('through the gateway', () => {
    let upstream: RawUpstream;
    let gateway: TestGateway;
    let current: { plain: Buffer; asked: Buffer };
    let received = '';

    beforeAll(async () => {
      upstream = await RawUpstream.start(async (connection) => {
        const { body } = await connection.message();
        received = body.toString('utf8');
        connection.write(STREAM_HEAD);
        for (const piece of cutAt(received.includes(QUESTION) ? current.asked : current.plain, [700, 9_000])) {
          if (piece.length > 0) connection.write(chunk(Buffer.from(piece)));
        }
        connection.write(LAST_CHUNK);
        connection.end();
      });
      gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm', keep_alive: 0 });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    });

    law(
      'is seen by the meter only: the client gets what it asked for',
      80,
      fc.asyncProperty(answer, fc.nat(), async (of, number) => {
        current = streamsOf(of);
        // This looks compressed, and such an upstream is not asked any more.
        if (current.asked[0] === 0x1f) return;
        // What was learned of one model is not applied to the next.
        const body = `{"model":"m-${number}-${gateway.records.length}","messages":[],"stream":true}`;
        const before = gateway.records.length;
        const seen = await ask(gateway.port, CHAT, body);
        expect(received).toBe(`${body.slice(0, -1)}${QUESTION}}`);
        expect(seen.isWhole).toBe(true);
        expect(seen.body.toString('latin1')).toBe(relayed([current.plain]).bytes.toString('latin1'));
        expect((await gateway.record(before)).response_bytes).toBe(current.asked.length);
      }),
    );
  });
});
