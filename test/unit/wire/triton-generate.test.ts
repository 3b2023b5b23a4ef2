import { describe, expect, it } from 'vitest';
import { tritonGenerate } from '../../../src/wire/dialects/triton-generate.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, JSON_BODY, readAnswer } from '../../helpers/fact-log.ts';
import { cutStream } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

const text = (text_output: unknown) => ({
  model_name: 'ensemble',
  model_version: '1',
  sequence_end: false,
  output_log_probs: [0],
  text_output,
});
const STREAM = cutStream(text('Hel'), text('lo'), text(''));

describe('the laws of a dialect, for triton.generate', () => {
  dialectLaws(tritonGenerate, {
    answers: [
      { name: 'events', head: EVENT_STREAM, body: STREAM },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(text('Hello')) },
      { name: 'several texts', head: JSON_BODY, body: JSON.stringify(text(['Hel', 'lo'])) },
    ],
    withoutOutput: [{ name: 'no text', head: EVENT_STREAM, body: cutStream(text('')) }],
  });
});

describe('Triton', () => {
  it('sends text and the name of its model, and counts nothing', () => {
    const { log } = readAnswer(tritonGenerate, [Buffer.from(STREAM)]);
    expect([log.text(), log.of('model'), log.of('usage')]).toEqual([
      'Hello',
      [{ kind: 'model', name: 'ensemble' }],
      [],
    ]);
  });

  it('has no marker: its stream is whole when it ended cleanly', () => {
    const complete = (body: string, whole: boolean) =>
      readAnswer(tritonGenerate, [Buffer.from(body)], { whole }).complete;
    expect([complete(STREAM, true), complete(STREAM, false), complete('', true)]).toEqual([true, false, false]);
  });

  it('B49: reports an error in an event', () => {
    const { log } = readAnswer(tritonGenerate, [Buffer.from(`${STREAM}data: {"error":"in ensemble, failed"}\n\n`)]);
    expect(log.of('failed')).toHaveLength(1);
  });

  it.each([
    ['/v2/models/llama/generate', 'llama', false],
    ['/v2/models/llama/generate_stream', 'llama', true],
    ['/v2/models/llama/versions/1/generate_stream', 'llama', true],
  ])('POST %s names its model', (path, modelFromPath, streamsByDefault) => {
    expect(endpointOf('POST', path)).toMatchObject({
      api: 'triton.generate',
      generation: true,
      modelFromPath,
      streamsByDefault,
    });
  });

  it('has other paths that are not ours', () => {
    expect(endpointOf('POST', '/v2/models/llama/infer').api).toBe('other');
  });
});
