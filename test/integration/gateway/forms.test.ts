import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { answering, RawUpstream } from '../../helpers/raw-upstream.ts';

const EVENTS = [
  'data: {"type":"transcript.text.delta","delta":"Hello"}\n\n',
  'data: {"type":"transcript.text.done","text":"Hello","usage":{"type":"tokens","input_tokens":14,"output_tokens":5,"total_tokens":19}}\n\n',
].join('');
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${EVENTS.length}\r\n\r\n${EVENTS}`;

/** An upload as SDKs send it: the file of this size first or last. */
function upload(bytes: number, order: 'file first' | 'file last'): FormData {
  const form = new FormData();
  const file = new Blob([new Uint8Array(bytes)]);
  if (order === 'file first') form.append('file', file, 'speech.wav');
  form.append('model', 'gpt-4o-transcribe');
  form.append('stream', 'true');
  if (order === 'file last') form.append('file', file, 'speech.wav');
  return form;
}

test.each([
  ['in one piece', 1_000, 'file first'],
  ['in many', 700_000, 'file first'],
  ['longer than what is kept', 5_000_000, 'file last'],
] as const)('a form, %s, names its model', async (_what, bytes, order) => {
  await using upstream = await RawUpstream.start(answering(ANSWER));
  await using gateway = await TestGateway.start(upstream.url);
  const url = `http://127.0.0.1:${gateway.port}/v1/audio/transcriptions`;
  const answer = await fetch(url, { method: 'POST', body: upload(bytes, order) });
  expect(await answer.text()).toBe(EVENTS);
  const record = await gateway.record();
  expect(record).toMatchObject({
    api: 'openai.audio',
    requested_model: 'gpt-4o-transcribe',
    model: 'gpt-4o-transcribe',
    stream: true,
    outcome: 'complete',
    input_tokens: 14,
    output_tokens: 5,
  });
  expect(record.request_bytes).toBeGreaterThan(bytes);
});

test.each(['file first', 'file last'] as const)('a form goes where its model goes, %s', async (order) => {
  await using other = await RawUpstream.start();
  await using speech = await RawUpstream.start(answering(ANSWER));
  await using gateway = await TestGateway.start([
    { name: 'speech', url: speech.url, match: { model: '*-transcribe' } },
    { name: 'rest', url: other.url },
  ]);
  const url = `http://127.0.0.1:${gateway.port}/v1/audio/transcriptions`;
  const answer = await fetch(url, { method: 'POST', body: upload(700_000, order) });
  expect(await answer.text()).toBe(EVENTS);
  expect(await gateway.record()).toMatchObject({ upstream: 'speech', outcome: 'complete' });
  expect(other.connections).toEqual([]);
});
