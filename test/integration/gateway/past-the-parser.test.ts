import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { cutAt } from '../../helpers/cuts.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { content, delta, finish, role, stream, usage, usageChunk } from '../../helpers/openai-chunks.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { ASKING, CHAT } from '../../helpers/usage-upstream.ts';

/** In one read with the head, it keeps the whole answer with the parser: where the body begins is not known then. */
const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';

type Kind = 'chat' | 'chat for HTTP/1.0' | 'other' | 'head';

/** Each is for a model of its own: what was learned of one before is no reason not to ask for its usage. */
function requestOf(kind: Kind, number: number): Buffer {
  if (kind === 'other' || kind === 'head') return request(`${kind === 'head' ? 'HEAD' : 'GET'} /files/1`);
  const chat = post(CHAT, ASKING.replace('"m"', `"m${number}"`));
  return kind === 'chat' ? chat : Buffer.from(chat.toString().replace('HTTP/1.1', 'HTTP/1.0'));
}

/** Endings that are none of bytes: the client leaves, or the upstream breaks off, when all is relayed. */
const LEAVES = 'leaves';
const RESETS = 'resets';
const GZIP = 'Content-Encoding: gzip\r\n';

const word = fc.constantFrom(' the', ' über', ' 😀', '\n', '0\r\n\r\n', 'a'.repeat(300), 'b'.repeat(900));
const message = fc.oneof(
  { weight: 8, arbitrary: word.map((text) => content(text)) },
  { weight: 2, arbitrary: word.map((text) => delta({ reasoning_content: text })) },
  { weight: 1, arbitrary: fc.nat(9).map((tokens) => content(' x', usage(4, tokens))) },
);
const events = fc
  .array(message, { minLength: 1, maxLength: 12 })
  .map((messages) => stream(role(), ...messages, finish(), usageChunk(4, 19)));

/** A share of the places that are given, and some others. */
const places = fc.record({ share: fc.constantFrom(0, 0.3, 0.7, 1, 1), others: fc.array(fc.nat(), { maxLength: 2 }) });
type Places = typeof places extends fc.Arbitrary<infer T> ? T : never;

const answers = fc.record({
  kind: fc.constantFrom<Kind>('chat', 'chat', 'chat', 'chat for HTTP/1.0', 'other', 'head'),
  fields: fc.constantFrom('', '', '', 'Connection: close\r\n', GZIP),
  events,
  chunks: places,
  reads: places,
  frames: fc.array(fc.constantFrom('', '', '', '', '', '00', 'upper', ';x=y'), { minLength: 3, maxLength: 7 }),
  ending: fc.constantFrom(
    ...[LAST_CHUNK, LAST_CHUNK, LAST_CHUNK, '0;last\r\n\r\n', '0\r\nX-Trailer: yes\r\n\r\n'],
    `${LAST_CHUNK}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
    // Cut, or out of joint.
    ...['', 'zz\r\n', '3\r\nabcd\r\n', '-1\r\n'],
    ...([LEAVES, RESETS] as const),
  ),
  endsInLastRead: fc.boolean(),
});
type Answer = typeof answers extends fc.Arbitrary<infer T> ? T : never;

function cut(whole: Buffer, ends: readonly number[], { share, others }: Places): Buffer[] {
  const chosen = ends.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
  const pieces = cutAt(
    whole,
    [...chosen, ...others].filter((place) => place !== whole.length),
  );
  return pieces.filter(({ length }) => length > 0).map((piece) => Buffer.from(piece));
}

function endsOf(pieces: readonly Buffer[]): number[] {
  let at = 0;
  return pieces.map(({ length }) => {
    at += length;
    return at;
  });
}

function framed(body: Buffer, how: string): Buffer {
  const hex = body.length.toString(16);
  const size = how === 'upper' ? hex.toUpperCase() : how === '00' ? `00${hex}` : `${hex}${how}`;
  return Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n')]);
}

/** The reads of the answer, its head apart. */
function readsOf(how: Answer): Buffer[] {
  const { events, chunks, reads, frames, ending, endsInLastRead } = how;
  const body = fieldsOf(how) === GZIP ? gzipSync(events) : Buffer.from(events);
  const eventEnds = endsOf(events.split(/(?<=\n\n)/).map((text) => Buffer.from(text)));
  const parts = cut(body, eventEnds, chunks).map((part, index) => framed(part, frames[index % frames.length] ?? ''));
  const pieces = cut(Buffer.concat(parts), endsOf(parts), reads);
  const last = Buffer.from(isOfBytes(ending) ? ending : '');
  if (!endsInLastRead) return [...pieces, last];
  return [...pieces.slice(0, -1), Buffer.concat([pieces.at(-1) ?? last, last])];
}

/** All that was received, without the framing of its chunks, which need not be the same. */
function unframed(received: Buffer): string {
  const start = received.indexOf('\r\n\r\n') + 4;
  const head = received.toString('latin1', 0, start);
  if (!/transfer-encoding: chunked/i.test(head)) return received.toString('latin1');
  let told = head;
  for (let at = start; at < received.length; ) {
    const line = received.indexOf('\r\n', at);
    const size = Number.parseInt(received.toString('latin1', at, line), 16);
    // The last chunk and its trailers.
    if (!(size > 0)) return `${told}|${received.toString('latin1', at)}`;
    told += received.toString('latin1', line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
  return told;
}

/** Without its times, whose being there stays. */
function timeless({ id: _id, time: _time, started_at: _started, ...rest }: UsageRecord): Record<string, unknown> {
  const told = Object.entries(rest).filter(([name]) => !/tpot|speed|per_second/.test(name));
  return Object.fromEntries(told.map(([name, value]) => [name, name.endsWith('_ms') ? value !== null : value]));
}

/** An upstream that once compressed a chat is never asked again; and of what is compressed, nobody here sees the end. */
function fieldsOf({ kind, fields, ending }: Pick<Answer, 'kind' | 'fields' | 'ending'>): string {
  return fields === GZIP && (kind !== 'other' || !isOfBytes(ending)) ? '' : fields;
}

function headOf(how: Answer): string {
  const fields = `Content-Type: text/event-stream\r\n${fieldsOf(how)}Transfer-Encoding: chunked\r\n`;
  return `HTTP/1.1 200 OK\r\n${fields}\r\n`;
}

function isOfBytes(ending: string): boolean {
  return ending !== LEAVES && ending !== RESETS;
}

/** Sends the answer, and ends it as it is to end. */
async function answer(how: Answer, { connection, client }: Record<'connection' | 'client', RawSocket>): Promise<void> {
  for (const read of how.kind === 'head' ? [] : readsOf(how)) {
    await sleep(1);
    connection.write(read);
  }
  if (how.kind === 'head' || isOfBytes(how.ending)) {
    if (!isWhole(how) || how.fields.includes('close')) connection.end();
    return;
  }
  await client.until(() => unframed(client.received).endsWith('[DONE]\n\n') || null);
  if (how.ending === LEAVES) client.socket.destroy();
  else connection.reset();
}

function isWhole({ kind, ending }: Answer): boolean {
  return kind === 'head' || ending.startsWith('0');
}

/** A gateway and its upstream; `serve` sends one answer through them, from its beginning to its record. */
async function relaying(prefix: string) {
  let onRequest: (connection: RawSocket) => void = () => {};
  const upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      await connection.message();
      onRequest(connection);
    }
  });
  const gateway = await TestGateway.start({ url: upstream.url, usage: 'always' });
  return {
    gateway,
    async serve(how: Answer) {
      await using client = await rawClient(gateway.port);
      const number = gateway.records.length;
      client.write(requestOf(how.kind, number));
      const connection = await new Promise<RawSocket>((resolve) => {
        onRequest = resolve;
      });
      connection.write(prefix + headOf(how));
      await answer(how, { connection, client });
      const record = timeless(await gateway.record(number));
      const ended = how.kind === 'head' ? /\r\n\r\n$/ : /\|0\r\n(X-Trailer: yes\r\n)?\r\n$/;
      if (!isWhole(how) || how.kind === 'chat for HTTP/1.0') await client.closed();
      else await client.until(() => ended.test(unframed(client.received)) || null);
      return { got: unframed(client.received), record };
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

test('an answer reaches its client and its record the same way past the parser as through it', async () => {
  await using past = await relaying('');
  await using through = await relaying(INTERIM);
  await fc.assert(
    fc.asyncProperty(answers, async (how) => {
      const [one, other] = await Promise.all([past.serve(how), through.serve(how)]);
      expect(one).toEqual(other);
    }),
    { numRuns: 200, endOnFailure: true },
  );
  const counters = ({ gateway }: typeof past) =>
    [...gateway.ledger.series()].map((of) => [of.outputTokens, of.withheld]);
  expect(counters(past)).toEqual(counters(through));
  expect(past.gateway.degraded).toEqual(through.gateway.degraded);
  expect(past.gateway.usageAsks).toEqual(through.gateway.usageAsks);
});
