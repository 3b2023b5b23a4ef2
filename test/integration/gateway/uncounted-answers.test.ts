import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createTokenCounter } from '../../../src/tokens/counter.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { localCounting } from '../../helpers/local-counting.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const BODY = '{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Say hello"}]}';
const event = (fields: object) => `data: ${JSON.stringify({ model: 'gpt-4o', ...fields })}\n\n`;
const said = (text: string) => event({ choices: [{ index: 0, delta: { content: text } }] });
const USAGE = event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } });

/** Of an answer that goes on until its connection ends. */
const OPEN = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';

function answer(body: Buffer, headers = ''): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

async function recordOf(sent: Buffer, options: Parameters<typeof TestGateway.start>[1] = {}) {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(sent);
  });
  await using gateway = await TestGateway.start(upstream.url, options);
  await using client = await rawClient(gateway.port);
  client.write(post('/v1/chat/completions', BODY));
  const message = await client.message();
  return { record: await gateway.record(), message, degraded: gateway.degraded };
}

test('what nobody counted is counted by the local tokenizer: answer and prompt', { timeout: 30_000 }, async () => {
  const counter = createTokenCounter({ budgetMs: 5_000, answerWithinMs: 20_000, clock: systemClock });
  const body = Buffer.from(`${said('Hello there, ')}${said('how are you today?')}data: [DONE]\n\n`);
  const { record } = await recordOf(answer(body), { localCounting: localCounting((text) => counter.count(text)) });
  await counter.close();
  // "Hello there, how are you today?" in o200k_base, and the chat overhead as published.
  expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 8, input_tokens: 9, outcome: 'complete' });
});

test('where the upstream counts, nobody else does', async () => {
  let asked = 0;
  const countLocally = async () => {
    asked += 1;
    return null;
  };
  const body = Buffer.from(`${said('Hello')}${USAGE}data: [DONE]\n\n`);
  const { record } = await recordOf(answer(body), { localCounting: localCounting(countLocally) });
  expect(record).toMatchObject({ usage_source: 'reported', output_tokens: 5, input_tokens: 9 });
  expect(asked).toBe(0);
});

test('a tokenizer that gives up leaves the live estimate', async () => {
  const body = Buffer.from(`${said('a')}${said('b')}${said('c')}data: [DONE]\n\n`);
  const { record } = await recordOf(answer(body), { localCounting: localCounting(async () => null) });
  expect(record).toMatchObject({ usage_source: 'estimated', output_tokens: 3, input_tokens: null });
});

test('a compressed answer is relayed as it came, and metered all the same', async () => {
  const body = gzipSync(`${said('Hello')}${said('you')}${USAGE}data: [DONE]\n\n`);
  const { record, message, degraded } = await recordOf(answer(body, 'Content-Encoding: gzip\r\n'));
  expect(message.body.equals(body)).toBe(true);
  expect(record).toMatchObject({ usage_source: 'reported', output_tokens: 5, chunks: 2, outcome: 'complete' });
  expect(degraded).toEqual([]);
});

test('a compressed answer that is none is relayed, and counted as not read', async () => {
  const body = Buffer.from('this is not gzip');
  const { record, message, degraded } = await recordOf(answer(body, 'Content-Encoding: gzip\r\n'));
  expect(message.body.equals(body)).toBe(true);
  expect(record.usage_source).toBe('none');
  expect(degraded).toEqual(['inflate_failed']);
});

test('an answer that breaks off where its upstream would have counted it is counted here, with its prompt', async () => {
  const asked: unknown[] = [];
  const counting = localCounting(async ({ output, input }) => {
    asked.push([output[0]?.text, Buffer.from(input?.json ?? []).toString()]);
    return { outputTokens: 2, inputTokens: 9 };
  });
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url, { localCounting: counting });
  const answers = [
    answer(Buffer.from(`${said('Hello')}${USAGE}data: [DONE]\n\n`), 'Connection: close\r\n'),
    `${OPEN}${said('Hello there')}`,
  ];
  for (const [number, sent] of answers.entries()) {
    await using client = await rawClient(gateway.port);
    client.write(post('/v1/chat/completions', BODY));
    const connection = await upstream.connection(number);
    await connection.message();
    connection.write(sent);
    await client.text('Hello');
    if (number === 0) await client.message();
    // The second client leaves in the middle of its answer, the first when it has it.
    client.reset();
    await connection.closed();
    await gateway.record(number);
  }
  expect(gateway.records[0]).toMatchObject({ usage_source: 'reported', output_tokens: 5, input_tokens: 9 });
  expect(gateway.records[1]).toMatchObject({
    outcome: 'client_aborted',
    usage_source: 'estimated',
    output_tokens: 2,
    input_tokens: 9,
  });
  expect(asked).toEqual([['Hello there', BODY]]);
  expect([counting.prompts.bytes, counting.outputs.bytes]).toEqual([0, 0]);
});
