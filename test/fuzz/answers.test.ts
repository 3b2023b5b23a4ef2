import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { cutAt } from '../helpers/cuts.ts';
import { TestGateway } from '../helpers/gateway.ts';
import { chunk, LAST_CHUNK, readMessage } from '../helpers/http-bytes.ts';
import { RawUpstream } from '../helpers/raw-upstream.ts';
import { law } from './law.ts';
import { type Edit, edits, mutated } from './mutations.ts';
import { INTERESTING, recording, recordings } from './recordings.ts';
import { ask, type Seen } from './seen.ts';

const CR = 13;
const LF = 10;
const REQUEST = '{"model":"m","stream":true}';
/** What makes another message of a message. */
const HTTP = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', ' ', '\t', ':', ';', ',', '\x00', '\xff'],
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.0 200 OK\r\n\r\n', 'HTTP/1.1 204 No Content\r\n\r\n', '200', '304', '404', '599'],
  ...['Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n'],
  ...['Transfer-Encoding: gzip\r\n', 'Content-Encoding: gzip\r\n', 'X-Y: é\r\n', ' folded\r\n', 'X: \r\n'],
  ...[
    '0\r\n',
    '0\r\n\r\n',
    '0\r\nX-Trailer: 1\r\n\r\n',
    '5\r\nabcde\r\n',
    'ffffffff\r\n',
    ';ext=1',
    '-1\r\n',
    '+1',
    '0x10',
  ],
];

const framings = ['length', 'chunked', 'close'] as const;
interface Served {
  recording: number;
  bodyBytes: number;
  edits: Edit[];
  framing: (typeof framings)[number];
  chunkBytes: number;
  cuts: number[];
  isDripped: boolean;
}

const served: fc.Arbitrary<Served> = fc.record({
  recording: fc.nat(1_000),
  /** Most recordings are long; what breaks a relay is seldom far in. */
  bodyBytes: fc.constantFrom(0, 1, 300, 3_000, 200_000),
  edits: edits(INTERESTING),
  framing: fc.constantFrom(...framings),
  chunkBytes: fc.constantFrom(1, 17, 700, 70_000),
  /** Where the writes end, in bytes; within one turn of the loop, or each in its own. */
  cuts: fc.array(fc.nat(5_000), { maxLength: 6 }),
  isDripped: fc.boolean(),
});

function messageOf({ bodyBytes, framing, chunkBytes, ...of }: Served): { head: string; body: Buffer; wire: Buffer } {
  const { entry, bytes } = recording(of.recording);
  const body = mutated(bytes.subarray(0, bodyBytes), of.edits);
  const lines = { length: [`Content-Length: ${body.length}`], chunked: ['Transfer-Encoding: chunked'], close: [] };
  const head = ['HTTP/1.1 200 OK', `Content-Type: ${entry.content_type}`, 'x-Odd-Case:  a', ...lines[framing]].join(
    '\r\n',
  );
  const chunks = () => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < body.length; at += chunkBytes) pieces.push(chunk(body.subarray(at, at + chunkBytes)));
    return Buffer.concat([...pieces, Buffer.from(LAST_CHUNK)]);
  };
  return { head, body, wire: Buffer.concat([Buffer.from(`${head}\r\n\r\n`), framing === 'chunked' ? chunks() : body]) };
}

describe.skipIf(recordings.length === 0)('an answer on its way through the gateway', () => {
  let upstream: RawUpstream;
  let gateway: TestGateway;
  let wire: Buffer;
  let plan: Served;

  beforeAll(async () => {
    upstream = await RawUpstream.start(async (connection) => {
      await connection.message();
      for (const piece of cutAt(wire, plan.cuts)) {
        connection.write(Buffer.from(piece));
        if (plan.isDripped) await turn();
      }
      connection.end();
    });
    gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0, usage: 'never' });
  });

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  /** What the upstream says, as a client of its own sees it, and one of the gateway. */
  async function bothWays(bytes: Buffer, served: Served): Promise<{ direct: Seen; through: Seen }> {
    const { path } = recording(served.recording);
    wire = bytes;
    plan = served;
    const direct = await ask(upstream.port, path, REQUEST);
    const before = gateway.records.length;
    const through = await ask(gateway.port, path, REQUEST);
    await expect.poll(() => gateway.status().inFlight).toBe(0);
    await gateway.record(before);
    expect(gateway.records.length - before).toBe(1);
    return { direct, through };
  }

  law(
    'is what the upstream sent, whatever its body holds, and ends in one record',
    150,
    fc.asyncProperty(served, async (of) => {
      const { body, wire: bytes } = messageOf(of);
      const { direct, through } = await bothWays(bytes, of);
      expect(direct.body.equals(body) && direct.isWhole).toBe(true);
      expect(shownOf(through)).toEqual(shownOf(direct));
      expect(through.body.equals(body) && through.isWhole).toBe(true);
      expect(gateway.records.at(-1)).toMatchObject({ response_bytes: body.length, status: 200 });
    }),
  );

  law(
    'is what the upstream sent as far as that was HTTP, and never more',
    250,
    fc.asyncProperty(served, edits(HTTP), async (of, changes) => {
      const bytes = mutated(messageOf({ ...of, bodyBytes: Math.min(of.bodyBytes, 3_000) }).wire, changes);
      const { direct, through } = await bothWays(bytes, of);
      const sent = `of ${JSON.stringify(bytes.toString('latin1', 0, 1_500))}`;
      if (direct.status < 200 || CONTROL.test(direct.reason) || !HTTP_1.test(bytes.toString('latin1', 0, 200))) {
        expectFaithful(through, bytes, sent);
        return;
      }
      expect(shownOf(through), sent).toEqual(shownOf(direct));
      expect(through.isWhole, sent).toBe(direct.isWhole);
      const length = direct.isWhole ? direct.body.length : Math.min(direct.body.length, through.body.length);
      expect(through.body.toString('latin1', 0, length), sent).toBe(direct.body.toString('latin1', 0, length));
      if (direct.isWhole) expect(through.body.length, sent).toBe(length);
    }),
  );
});

/** Node's client takes HTTP/2.0 and HTTP/0.9 in the form of HTTP/1, too. */
const HTTP_1 = /^\s*HTTP\/1\.\d /;
/** No reason phrase has them (RFC 9112 §4); Node's client does not mind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is asked
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Node's client drops an answer behind which there is rubbish in the same read, the gateway need not:
 * what it lets through then is what stood there.
 */
function expectFaithful(through: Seen, bytes: Buffer, what: string): void {
  if (through.headers.includes('x-pitot-error') || through.status === 0) return;
  expect(bytes.toString('latin1'), what).toContain(` ${through.status}`);
  // Empty lines before a message are to be passed over (RFC 9112 §2.2).
  const start = bytes.findIndex((byte) => byte !== CR && byte !== LF);
  const context = { isEnded: true, hasNoBody: through.status === 204 || through.status === 304 };
  // Several codings are more than this test's own reader knows.
  if (!through.isWhole || (bytes.toString('latin1').match(/transfer-encoding/gi) ?? []).length > 1) return;
  const { body } = readMessage(bytes.subarray(start), context) ?? { body: null };
  expect(through.body.toString('latin1'), what).toBe(body?.toString('latin1'));
}

/** What of a head is for the client: the fields of one connection are not (RFC 9110 §7.6.1). */
function shownOf({ status, reason, headers }: Seen) {
  const fields: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    // A 204 may not have a length (RFC 9110 §8.6), and need not be given one.
    const isOdd = status === 204 && name.toLowerCase() === 'content-length';
    if (!isOdd && !HOP_BY_HOP.has(name.toLowerCase())) fields.push(`${name}: ${headers[at + 1]}`);
  }
  return { status, reason, fields };
}

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'trailer',
]);
