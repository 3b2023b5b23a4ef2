import { describe, expect, it } from 'vitest';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import { EVENT_STREAM, JSON_BODY, readAnswer } from '../../helpers/fact-log.ts';
import { content, cutStream, finish, lastText, stream, text, usage, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

const PLAIN = stream(text('Hel'), text('lo'), lastText(''), usageChunk(7, 2));
const PROMPTS = stream(text('a'), text('b', {}, 1), lastText('c', usage(6, 2)), lastText('d', usage(5, 2), 1));
const BODY = JSON.stringify({
  model: 'm',
  choices: [
    { index: 0, text: 'a', logprobs: null, finish_reason: 'stop' },
    { index: 1, text: 'b', logprobs: null, finish_reason: 'length' },
  ],
  ...usage(7, 2),
});

describe('the laws of a dialect, for openai.completions', () => {
  dialectLaws(openaiCompletions, {
    answers: [
      { name: 'plain', head: EVENT_STREAM, body: PLAIN },
      { name: 'several prompts', head: EVENT_STREAM, body: PROMPTS },
      { name: 'one body', head: JSON_BODY, body: BODY },
    ],
    withoutOutput: [
      { name: 'an empty end', head: EVENT_STREAM, body: stream(text(''), lastText(''), usageChunk(7, 0)) },
    ],
  });
});

describe('a text completion', () => {
  it('generates the text of its choices', () => {
    const { log, complete } = readAnswer(openaiCompletions, [Buffer.from(PLAIN)]);
    expect([log.text('content'), log.merged, complete]).toEqual(['Hello', { inputTokens: 7, outputTokens: 2 }, true]);
  });

  it('has several choices in one body', () => {
    const { log } = readAnswer(openaiCompletions, [Buffer.from(BODY)], { head: JSON_BODY });
    expect([log.text('content', 0), log.text('content', 1)]).toEqual(['a', 'b']);
    expect(log.of('choiceEnded').map((fact) => fact.reason)).toEqual(['stop', 'length']);
  });

  it('is told from llama.cpp’s own by the first message that can', () => {
    const own = (value: string, stop: boolean) => ({ index: 0, content: value, stop, tokens_predicted: 2 });
    const { log, complete } = readAnswer(openaiCompletions, [
      Buffer.from(cutStream({ type: 'ping' }, own('a', false), own('b', true))),
    ]);
    expect([log.text('content'), complete]).toEqual(['ab', true]);
    const plain = readAnswer(openaiCompletions, [Buffer.from(stream({ type: 'ping' }, text('a'), lastText('')))]);
    expect(plain.log.text('content')).toBe('a');
  });

  it('may come in the shape of a chat (Mistral’s fill-in-the-middle)', () => {
    const { log, complete } = readAnswer(openaiCompletions, [Buffer.from(cutStream(content('a'), finish()))]);
    expect([log.text('content'), complete]).toEqual(['a', true]);
  });
});
