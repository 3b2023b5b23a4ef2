import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { type CorpusEntry, corpusBody, corpusEntries, mediaTypeOf } from '../../helpers/corpus.ts';
import { headOf, readAnswer } from '../../helpers/fact-log.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const ALL = 179;
/** Single bytes are a write each: only for recordings this small. */
const BYTE_BY_BYTE_UP_TO = 4_000;

const entries = corpusEntries(null);

/** Sizes of the writes of one answer: whole, uneven, single bytes. */
function cutsOf(body: Buffer): number[][] {
  const uneven = [1, 700, 13, 97, 4_096, 3];
  return body.length > BYTE_BY_BYTE_UP_TO ? [[body.length], uneven] : [[body.length], uneven, [1]];
}

async function writeCut(connection: RawSocket, body: Buffer, sizes: readonly number[]): Promise<void> {
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? body.length;
    connection.write(body.subarray(at, at + size));
    at += size;
    if (turn % 8 === 7) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What the recording says, by the dialect that its own contract test holds to the provider's numbers. */
function truthOf(entry: CorpusEntry, body: Buffer) {
  const { dialect } = endpointOf(entry.method, pathOf(entry));
  const head = headOf(mediaTypeOf(entry), entry.status);
  return dialect === null ? null : readAnswer(dialect, [body], { head });
}

const pathOf = (entry: CorpusEntry) => entry.path.split('?')[0] ?? '';

function outcomeOf(entry: CorpusEntry, truth: ReturnType<typeof truthOf>): UsageRecord['outcome'] {
  if (entry.status >= 400) return 'upstream_error';
  if (truth !== null && truth.log.of('failed').length > 0) return 'error_in_stream';
  return truth?.streamed && !truth.complete ? 'truncated' : 'complete';
}

describe.skipIf(entries === null)('every recorded answer, through the gateway', () => {
  let upstream: RawUpstream;
  let gateway: TestGateway;
  let served: { head: string; body: Buffer; sizes: readonly number[] };
  let number = 0;

  beforeAll(async () => {
    upstream = await RawUpstream.start(async (connection) => {
      await connection.message();
      connection.write(served.head);
      await writeCut(connection, served.body, served.sizes);
      connection.socket.end();
    });
    gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0 });
  });

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  it('is one of 179', () => {
    expect(entries).toHaveLength(ALL);
  });

  it.each((entries ?? []).map((entry) => ({ name: entry.file.replace('streams/', ''), entry })))(
    '$name',
    async ({ entry }) => {
      const body = corpusBody(entry);
      const truth = truthOf(entry, body);
      const usage = truth?.log.merged ?? {};
      for (const sizes of cutsOf(body)) {
        const head = `HTTP/1.1 ${entry.status} X\r\nContent-Type: ${entry.content_type}\r\nContent-Length: ${body.length}\r\n\r\n`;
        served = { head, body, sizes };
        await using client = await rawClient(gateway.port);
        client.write(
          post(entry.path, JSON.stringify(entry.request ?? { model: entry.model, stream: truth?.streamed ?? false })),
        );
        expect((await client.message()).body.equals(body)).toBe(true);
        const record = await gateway.record(number);
        number += 1;
        expect(record).toMatchObject({
          outcome: outcomeOf(entry, truth),
          status: entry.status,
          response_bytes: body.length,
          stream: truth?.streamed ?? record.stream,
        });
        expect({
          input: record.input_tokens,
          cached: record.cached_input_tokens,
          written: record.cache_write_input_tokens,
          reasoning: record.reasoning_tokens,
        }).toEqual({
          input: usage.inputTokens ?? null,
          cached: usage.cachedInputTokens ?? null,
          written: usage.cacheWriteInputTokens ?? null,
          reasoning: usage.reasoningTokens ?? null,
        });
        if (usage.outputTokens !== undefined) expect(record.output_tokens).toBe(usage.outputTokens);
        if (entry.expected.has_usage) expect(record.usage_source).toBe('reported');
        else expect(['estimated', 'none']).toContain(record.usage_source);
      }
      expect(gateway.degraded.splice(0)).toEqual([]);
    },
  );
});
