import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { answering, RawUpstream } from '../../helpers/raw-upstream.ts';

const PROMPT = 'Once upon a time, in a country far away, there was';

const answer = (mediaType: string, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const chunk = (text: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, text, finish_reason }] })}\n\n`;

/** As vLLM sends it: the prompt first, or with the first token. */
const ALONE = `${chunk(PROMPT)}${chunk(' a king')}${chunk('.', 'stop')}data: [DONE]\n\n`;
const TOGETHER = `${chunk(`${PROMPT} a king`)}${chunk('.', 'stop')}data: [DONE]\n\n`;

test.each([
  ['alone', ALONE],
  ['with the first token', TOGETHER],
])('an echoed prompt that comes %s is no output, and the client gets it all the same', async (_how, body) => {
  await using upstream = await RawUpstream.start(answering(answer('text/event-stream', body)));
  await using gateway = await TestGateway.start(upstream.url);
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', prompt: PROMPT, stream: true, echo: true }),
  });
  expect(await response.text()).toBe(body);
  expect(await gateway.record()).toMatchObject({
    outcome: 'complete',
    output_characters: 8,
    chunks: 2,
    output_tokens: 2,
    usage_source: 'estimated',
  });
});

test('the prompt that Triton sends back unasked is no output', async () => {
  const body = JSON.stringify({ model_name: 'llama', text_output: `${PROMPT} a king.`, num_output_tokens: 4 });
  await using upstream = await RawUpstream.start(answering(answer('application/json', body)));
  await using gateway = await TestGateway.start(upstream.url);
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v2/models/llama/generate`, {
    method: 'POST',
    body: JSON.stringify({ text_input: PROMPT, max_tokens: 4 }),
  });
  expect(await response.text()).toBe(body);
  expect(await gateway.record()).toMatchObject({
    api: 'triton.generate',
    output_characters: 8,
    output_tokens: 4,
    usage_source: 'reported',
  });
});
