import { describe, expect, it } from 'vitest';
import { openaiAudio } from '../../../src/wire/dialects/openai-audio.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { events } from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, FactLog, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { content, finish, role, stream, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (...messages: Json[]): ReadAnswer => readAnswer(openaiAudio, [Buffer.from(events(...messages))]);
const readBody = (body: Json): ReadAnswer =>
  readAnswer(openaiAudio, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

const TOKENS = {
  usage: {
    type: 'tokens',
    input_tokens: 14,
    input_token_details: { text_tokens: 0, audio_tokens: 14 },
    output_tokens: 45,
    total_tokens: 59,
  },
};
const delta = (text: string): Json => ({ type: 'transcript.text.delta', delta: text, logprobs: [] });
const done = (text: string, rest: Json = TOKENS): Json => ({ type: 'transcript.text.done', text, ...rest });
const segment = (text: string): Json => ({ type: 'transcript.text.segment', id: 's', speaker: 'A', text });

const PLAIN = [delta('Hel'), delta('lo'), done('Hello')];
const SPEECH = [
  { type: 'speech.audio.delta', audio: 'UklGRg==' },
  { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } },
];

describe('the laws of a dialect, for openai.audio', () => {
  dialectLaws(openaiAudio, {
    answers: [
      { name: 'a transcript', head: EVENT_STREAM, body: events(...PLAIN) },
      { name: 'speech', head: EVENT_STREAM, body: events(...SPEECH) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify({ text: 'Hello', ...TOKENS }) },
      { name: 'chat chunks', head: EVENT_STREAM, body: stream(role(), content('Hello'), finish(), usageChunk(9, 2)) },
    ],
    withoutOutput: [{ name: 'silence', head: EVENT_STREAM, body: events(delta(''), done('')) }],
  });
});

describe('audio', () => {
  it('as a transcript comes in deltas, which the end repeats', () => {
    const { log, complete } = read(...PLAIN);
    expect([log.text('content'), log.merged, log.hasFinalUsage, complete]).toEqual([
      'Hello',
      { inputTokens: 14, outputTokens: 45 },
      true,
      true,
    ]);
  });

  it('may begin with an event that says nothing', () => {
    expect(read({ type: 'ping' }, ...PLAIN).log.text()).toBe('Hello');
    const chat = stream({ type: 'ping' }, content('Hello'), finish());
    expect(readAnswer(openaiAudio, [Buffer.from(chat)]).log.text()).toBe('Hello');
  });

  it('by speaker comes in segments, which nothing tells twice', () => {
    expect(read(segment('Hel'), segment('lo'), done('Hello')).log.text()).toBe('Hello');
    expect(read(delta('Hel'), segment('Hel'), delta('lo'), segment('lo'), done('Hello')).log.text()).toBe('Hello');
  });

  it('is not over before its last event', () => {
    expect(read(delta('Hel')).complete).toBe(false);
    expect(read(delta('Hel'), { type: 'error', error: { message: 'x' } }).log.of('failed').length).toBeGreaterThan(0);
  });

  it('that is counted in seconds has no token counts', () => {
    const { log } = readBody({ text: 'Hello', usage: { type: 'duration', seconds: 4 } });
    expect([log.text(), log.of('usage'), log.degradations]).toEqual(['Hello', [], []]);
  });

  it('that vLLM transcribes comes in chat chunks', () => {
    const { log, complete } = readAnswer(openaiAudio, [
      Buffer.from(stream(content('Hel'), content('lo'), finish(), usageChunk(9, 2))),
    ]);
    expect([log.text(), log.merged, complete]).toEqual(['Hello', { inputTokens: 9, outputTokens: 2 }, true]);
  });

  it('that is spoken comes encoded', () => {
    const { log, complete } = read(...SPEECH);
    expect([log.text('audio'), log.merged.outputTokens, complete]).toEqual(['UklGRg==', 40, true]);
  });

  it('as plain text, subtitles or sound is none of ours', () => {
    for (const mediaType of ['text/plain', 'text/vtt', 'audio/mpeg', 'application/octet-stream']) {
      expect(openaiAudio.open(headOf(mediaType), new FactLog(), 100)).toBeNull();
    }
  });

  it.each([
    ['/v1/audio/transcriptions', true],
    ['/openai/deployments/whisper/audio/translations', true],
    ['/v1/audio/speech', false],
  ])('is POST %s', (path, generation) => {
    expect(endpointOf('POST', path)).toMatchObject({ api: 'openai.audio', generation });
  });
});
