import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { headerOf, type WireMessage } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream, type Script } from '../../helpers/raw-upstream.ts';
import {
  ASKED,
  ASKING,
  answer,
  asksForUsage,
  asVllm,
  byRequest,
  CHAT,
  gzipped,
  PLAIN_STREAM,
  streamed,
  USAGE_EVENT,
  USAGE_STREAM,
} from '../../helpers/usage-upstream.ts';

type Keys = Record<string, unknown>;

interface Run {
  got: WireMessage[];
  requests: WireMessage[];
  gateway: TestGateway;
}

/** Sends these requests one after the other, over one connection. */
async function run(script: (requests: WireMessage[]) => Script, sent: Buffer[], keys: Keys = { engine: 'vllm' }) {
  const requests: WireMessage[] = [];
  await using upstream = await RawUpstream.start(script(requests));
  await using gateway = await TestGateway.start({ url: upstream.url, ...keys });
  await using client = await rawClient(gateway.port);
  const got: WireMessage[] = [];
  for (const [number, bytes] of sent.entries()) {
    client.write(bytes);
    got.push(await client.message());
    await gateway.record(number);
  }
  return { got, requests, gateway } satisfies Run;
}

const bodies = (messages: readonly WireMessage[]): string[] => messages.map(({ body }) => body.toString());

describe('a stream that says nothing of usage', () => {
  test('is asked, metered by the report, and looks to the client as if it had not been', async () => {
    const { got, requests, gateway } = await run(asVllm, [post(CHAT, ASKING)]);
    expect(bodies(requests)).toEqual([ASKED]);
    expect(headerOf(requests[0]?.headerLines ?? [], 'content-length')).toBe(String(ASKED.length));
    expect(bodies(got)).toEqual([PLAIN_STREAM]);
    expect(gateway.usageAsks).toEqual(['answered']);
    expect(gateway.records).toHaveLength(1);
    expect(gateway.records[0]).toMatchObject({
      usage_source: 'reported',
      input_tokens: 7,
      output_tokens: 2,
      outcome: 'complete',
      request_bytes: ASKING.length,
    });
  });

  test.each([1, 2, 3, 7, 61])('loses the added chunk alone when it comes %i bytes at a time', async (size) => {
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(USAGE_STREAM, size));
    const { got } = await run(script, [post(CHAT, ASKING)]);
    expect(bodies(got)).toEqual([PLAIN_STREAM]);
  });

  test('gets a framing that fits when the server had told a length', async () => {
    const script = (requests: WireMessage[]) =>
      byRequest(requests, () => answer('200 OK', ['text/event-stream; charset=utf-8'], USAGE_STREAM));
    const { got } = await run(script, [post(CHAT, ASKING), post(CHAT, ASKING)]);
    expect(bodies(got)).toEqual([PLAIN_STREAM, PLAIN_STREAM]);
    expect(headerOf(got[0]?.headerLines ?? [], 'content-length')).toBeNull();
    expect(headerOf(got[0]?.headerLines ?? [], 'transfer-encoding')).toBe('chunked');
  });

  test('ends with its connection for a client that knows no chunks', async () => {
    await using upstream = await RawUpstream.start(
      byRequest([], () => answer('200 OK', ['text/event-stream'], USAGE_STREAM)),
    );
    await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
    await using client = await rawClient(gateway.port);
    client.write(String(post(CHAT, ASKING)).replace('HTTP/1.1', 'HTTP/1.0'));
    await client.closed();
    expect(client.received.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/);
    expect(client.received.toString().split('\r\n\r\n')[1]).toBe(PLAIN_STREAM);
  });

  test('is asked on /completions, too', async () => {
    const { requests } = await run(asVllm, [post('/v1/completions', '{"prompt":"a","stream":true}')]);
    expect(bodies(requests)).toEqual(['{"prompt":"a","stream":true,"stream_options":{"include_usage":true}}']);
  });

  test('that is answered with JSON has its answer untouched', async () => {
    const json = `{"choices":[],"usage":{}}`;
    const script = (requests: WireMessage[]) => byRequest(requests, () => answer('200 OK', ['application/json'], json));
    const { got, gateway } = await run(script, [post(CHAT, ASKING)]);
    expect(bodies(got)).toEqual([json]);
    expect(headerOf(got[0]?.headerLines ?? [], 'content-length')).toBe(String(json.length));
    expect(gateway.usageAsks).toEqual([]);
  });

  test.each([
    {
      what: 'a stream that is called JSON loses the added chunk',
      body: USAGE_STREAM,
      left: PLAIN_STREAM,
      asks: ['answered'],
    },
    {
      what: 'JSON of unknown length stays as it is',
      body: '{"choices":[],"usage":{}}',
      left: '{"choices":[],"usage":{}}',
      asks: [],
    },
  ])('$what', async ({ body, left, asks }) => {
    const json = (text: string) =>
      Buffer.from(streamed(text).toString('latin1').replace('text/event-stream', 'application/json'), 'latin1');
    const { got, gateway } = await run((requests) => byRequest(requests, () => json(body)), [post(CHAT, ASKING)]);
    expect([bodies(got), gateway.usageAsks]).toEqual([[left], asks]);
  });

  test('comes whole when the upstream breaks off: what is held back is passed on', async () => {
    const whole = streamed(USAGE_STREAM);
    const cut = whole.subarray(0, whole.indexOf('"usage"') + 3);
    await using upstream = await RawUpstream.start(async (connection) => {
      await connection.message();
      connection.write(cut);
      await connection.socket.end();
    });
    await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
    await using client = await rawClient(gateway.port);
    client.write(post(CHAT, ASKING));
    await client.closed();
    expect(client.received.includes('"choices":[],"us')).toBe(true);
    expect(await gateway.record()).toMatchObject({ outcome: 'upstream_reset' });
    expect(gateway.usageAsks).toEqual([]);
  });
});

describe('a body', () => {
  test.each([
    '{"stream":true,"stream_options":{"include_usage":false}}',
    '{"stream":true,"stream_options":null}',
    '{"stream":true,"include_usage":null}',
    '{"stream":false}',
    '{"stream":true',
  ])('passes untouched, and so does its answer: %s (FAULTS B02)', async (body) => {
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(USAGE_STREAM));
    const { got, requests, gateway } = await run(script, [post(CHAT, body)]);
    expect([bodies(requests), bodies(got)]).toEqual([[body], [USAGE_STREAM]]);
    expect(gateway.usageAsks).toEqual([]);
  });

  test.each([
    { engine: 'vllm', usage: 'never' },
    { engine: 'vllm', metering: 'off' },
    { engine: 'mistral' },
    { engine: 'auto' },
  ])('passes untouched with %j', async (keys) => {
    const { got, requests } = await run(asVllm, [post(CHAT, ASKING)], keys);
    expect([bodies(requests), bodies(got)]).toEqual([[ASKING], [PLAIN_STREAM]]);
  });

  test.each([
    'Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
    'Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==',
    'x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
  ])('passes untouched where it is signed: %s', async (field) => {
    const signed = Buffer.from(post(CHAT, ASKING).toString().replace('\r\n\r\n', `\r\n${field}\r\n\r\n`));
    const { got, requests } = await run(asVllm, [signed]);
    expect([bodies(requests), bodies(got)]).toEqual([[ASKING], [PLAIN_STREAM]]);
  });

  test('is asked of whatever server with usage: always', async () => {
    const { got, requests } = await run(asVllm, [post(CHAT, ASKING)], { engine: 'mistral', usage: 'always' });
    expect([bodies(requests), bodies(got)]).toEqual([[ASKED], [PLAIN_STREAM]]);
  });

  test('passes untouched on any other path', async () => {
    const { requests } = await run(asVllm, [post('/v1/responses', ASKING), post('/v1/messages', ASKING)]);
    expect(bodies(requests)).toEqual([ASKING, ASKING]);
  });
});

describe('an engine under auto', () => {
  const vllmLike = (extra: string) => (requests: WireMessage[]) =>
    byRequest(requests, (sent) =>
      streamed(
        (asksForUsage(sent) ? USAGE_STREAM : PLAIN_STREAM).replaceAll('"finish_reason"', `${extra}"finish_reason"`),
      ),
    );

  test('is asked once a stream of its own has shown what it is', async () => {
    const { requests, got, gateway } = await run(
      vllmLike('"stop_reason":null,'),
      [post(CHAT, ASKING), post(CHAT, ASKING)],
      {},
    );
    expect(bodies(requests)).toEqual([ASKING, ASKED]);
    expect(got[1]?.body).toEqual(got[0]?.body);
    expect(gateway.status().engine).toBe('vllm');
  });

  test.each([1, 5, 64])('is known by its stream in whatever pieces it comes: %i bytes at a time', async (size) => {
    const body = PLAIN_STREAM.replaceAll('"finish_reason"', '"stop_reason":null,"finish_reason"');
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(body, size));
    const { gateway } = await run(script, [post(CHAT, ASKING)], {});
    expect(gateway.status().engine).toBe('vllm');
  });

  test.each([1, 1_000])(
    'is known by its list of models only where all have one owner: %i bytes at a time',
    async (size) => {
      const owned = async (list: string) => {
        const models = () =>
          Buffer.from(streamed(list, size).toString().replace('text/event-stream', 'application/json'));
        const { gateway } = await run((requests) => byRequest(requests, models), [request('GET /v1/models')], {});
        return gateway.status().engine;
      };
      expect(await owned('{"data":[{"owned_by":"vllm"},{"owned_by":"vllm"}]}')).toBe('vllm');
      expect(await owned('{"data":[{"owned_by":"vllm"},{"owned_by":"meta"}]}')).toBeNull();
    },
  );

  test('is asked once a list of models has shown what it is', async () => {
    const script = (requests: WireMessage[]) =>
      byRequest(requests, ({ startLine }) =>
        startLine.startsWith('GET')
          ? answer('200 OK', ['application/json'], '{"data":[{"owned_by":"sglang"}]}')
          : streamed(USAGE_STREAM),
      );
    const { requests, gateway } = await run(script, [request('GET /v1/models'), post(CHAT, ASKING)], {});
    expect(requests[1]?.body.toString()).toBe(ASKED);
    expect(gateway.status().engine).toBe('sglang');
  });

  test('is asked once any head has shown what it is', async () => {
    const script = (requests: WireMessage[]) =>
      byRequest(requests, () => answer('200 OK', ['text/event-stream', 'Server: llama.cpp'], USAGE_STREAM));
    const { requests } = await run(script, [request('GET /health'), post(CHAT, ASKING)], {});
    expect(requests[1]?.body.toString()).toBe(ASKED);
  });

  test('that reports unasked is not asked: its clients keep the report', async () => {
    const script = (requests: WireMessage[]) =>
      byRequest(requests, () =>
        streamed(USAGE_STREAM.replaceAll('"finish_reason"', '"stop_reason":null,"finish_reason"')),
      );
    const other = ASKING.replace('"m"', '"other"');
    const { requests, got } = await run(script, [post(CHAT, ASKING), post(CHAT, ASKING), post(CHAT, other)], {});
    expect(bodies(requests).slice(0, 2)).toEqual([ASKING, ASKING]);
    expect(bodies(got)[1]).toContain(USAGE_EVENT);
    expect(bodies(requests)[2]).toContain('include_usage');
  });
});

describe('what comes of asking', () => {
  test('a server that keeps silent three times in a row is left alone', async () => {
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(PLAIN_STREAM));
    const { requests, gateway } = await run(
      script,
      Array.from({ length: 4 }, () => post(CHAT, ASKING)),
    );
    expect(bodies(requests)).toEqual([ASKED, ASKED, ASKED, ASKING]);
    expect(gateway.usageAsks).toEqual(['ignored', 'ignored', 'ignored']);
  });

  test('usage on the finish chunk is an answer, and stays where it is', async () => {
    const tgi = PLAIN_STREAM.replace('"stop"}]', '"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}');
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(tgi));
    const { got, gateway } = await run(script, [post(CHAT, ASKING)]);
    expect(bodies(got)).toEqual([tgi]);
    expect(gateway.usageAsks).toEqual(['answered']);
  });

  test.each([1, 100])('an answer that is compressed and does not say so, too: %i bytes at a time', async (size) => {
    const packed = gzipSync(USAGE_STREAM);
    const script = (requests: WireMessage[]) => byRequest(requests, () => streamed(packed, size));
    const { got, requests, gateway } = await run(script, [post(CHAT, ASKING), post(CHAT, ASKING)]);
    expect(bodies(requests)).toEqual([ASKED, ASKING]);
    expect(got.map(({ body }) => gunzipSync(body).toString())).toEqual([USAGE_STREAM, USAGE_STREAM]);
    expect(gateway.usageAsks).toEqual(['compressed']);
  });

  test('a compressed answer is relayed as it is, and the server is not asked again', async () => {
    const compressed = gzipped('200 OK', 'text/event-stream', USAGE_STREAM);
    const script = (requests: WireMessage[]) => byRequest(requests, () => compressed);
    const { got, requests, gateway } = await run(script, [post(CHAT, ASKING), post(CHAT, ASKING)]);
    expect(bodies(requests)).toEqual([ASKED, ASKING]);
    const sentBody = compressed.subarray(compressed.indexOf('\r\n\r\n') + 4);
    expect(got.map(({ body }) => body.equals(sentBody))).toEqual([true, true]);
    expect(headerOf(got[0]?.headerLines ?? [], 'content-length')).toBe(String(sentBody.length));
    expect(gateway.usageAsks).toEqual(['compressed']);
  });
});
