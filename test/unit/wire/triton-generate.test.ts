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
      {
        name: 'counts',
        head: EVENT_STREAM,
        body: cutStream(
          { ...text('a'), num_input_tokens: 7, num_output_tokens: [1], output_log_probs: [-1], finish_reason: 'None' },
          { ...text('b'), num_output_tokens: 2, output_log_probs: [-1, -2, -0.5], finish_reason: 'stop' },
        ),
      },
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

  const counted = (text_output: string, rest: Record<string, unknown>) => ({ ...text(text_output), ...rest });
  const last = (body: string) => {
    const { log } = readAnswer(tritonGenerate, [Buffer.from(body)]);
    return [log.merged, log.of('usage').at(-1)?.final];
  };

  it('counts by its log probabilities where it was asked for them, new ones or all so far', () => {
    const events = (...lists: unknown[]) =>
      cutStream(...lists.map((output_log_probs) => counted('a', { output_log_probs })));
    expect(last(events(-0.1, [-0.1, -0.5], [-0.1, -0.5, -2]))).toEqual([{ outputTokens: 3 }, true]);
    expect(last(events([-0.1], [-0.5, 0], -2))).toEqual([{ outputTokens: 4 }, true]);
  });

  it('fills a list with zeros unasked: one for each token where it grows, and else for nothing', () => {
    const zeros = (...lengths: number[]) =>
      cutStream(...lengths.map((length) => counted('a', { output_log_probs: Array(length).fill(0) })));
    expect(last(zeros(1, 2, 3, 4))).toEqual([{ outputTokens: 4 }, true]);
    expect(last(zeros(5, 5, 5))).toEqual([{}, undefined]);
    expect(last(zeros(1, 1, 1))).toEqual([{}, undefined]);
  });

  it('joins the lists of several texts, which then tell nothing', () => {
    const body = JSON.stringify({ ...text(['a', 'b']), output_log_probs: [-1, -2, -3, 0] });
    expect(readAnswer(tritonGenerate, [Buffer.from(body)], { head: JSON_BODY }).log.merged).toEqual({});
  });

  it('counts in words of its own: the new tokens of each event, and of each text', () => {
    const stream = cutStream(
      counted('a', { num_input_tokens: 7, num_output_tokens: 2, finish_reason: 'None' }),
      counted('b', { num_input_tokens: 7, num_output_tokens: [1], finish_reason: 'stop' }),
    );
    expect(last(stream)).toEqual([{ inputTokens: 7, outputTokens: 3 }, true]);
    const { log } = readAnswer(tritonGenerate, [Buffer.from(stream)], { whole: false });
    expect([log.of('choiceEnded').map((fact) => fact.reason), log.hasFinalUsage]).toEqual([['stop'], false]);
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
