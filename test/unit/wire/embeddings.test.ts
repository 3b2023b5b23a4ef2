import { describe, expect, it } from 'vitest';
import { ollamaEmbed, openaiEmbeddings } from '../../../src/wire/dialects/embeddings.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { FactLog, JSON_BODY, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const OPENAI = { object: 'list', data: [{ embedding: [0.1, -2e-3], index: 0 }], model: 'm' };
const OLLAMA = { model: 'm', embeddings: [[0.1, 0.2]], total_duration: 14143917, load_duration: 1019500 };

const read = (body: Json, dialect = openaiEmbeddings, eventBytes = 10_000) =>
  readAnswer(dialect, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY, eventBytes }).log;

describe('the laws of a dialect, for embeddings', () => {
  const body = JSON.stringify({ ...OPENAI, usage: { prompt_tokens: 8, total_tokens: 8 } });
  const ollama = JSON.stringify({ ...OLLAMA, prompt_eval_count: 8 });
  describe('of OpenAI', () => {
    dialectLaws(openaiEmbeddings, { answers: [], withoutOutput: [{ name: 'vectors', head: JSON_BODY, body }] });
  });
  describe('of Ollama', () => {
    dialectLaws(ollamaEmbed, { answers: [], withoutOutput: [{ name: 'vectors', head: JSON_BODY, body: ollama }] });
  });
});

describe('embeddings', () => {
  it('count their input, and nothing else', () => {
    const log = read({ ...OPENAI, usage: { prompt_tokens: 8, total_tokens: 8 } });
    expect([log.merged, log.hasFinalUsage, log.of('model')[0]?.name]).toEqual([{ inputTokens: 8 }, true, 'm']);
  });

  it('count the total where that is all that is said (Voyage)', () => {
    expect(read({ ...OPENAI, usage: { total_tokens: 12 } }).merged).toEqual({ inputTokens: 12 });
  });

  it('say of output what they say (Mistral: 0)', () => {
    const usage = { prompt_tokens: 21, total_tokens: 21, completion_tokens: 0, prompt_audio_seconds: null };
    expect(read({ ...OPENAI, usage }).merged).toEqual({ inputTokens: 21, outputTokens: 0 });
  });

  it('of Ollama count at the top, with durations in nanoseconds', () => {
    const log = read({ ...OLLAMA, prompt_eval_count: 8 }, ollamaEmbed);
    expect(log.merged).toEqual({ inputTokens: 8 });
    expect(log.of('timings')[0]?.timings).toEqual({
      queue_ms: 1.0195,
      prefill_ms: null,
      decode_ms: null,
      total_ms: 14.143917,
    });
  });

  it('of Ollama’s old path count nothing', () => {
    expect(read({ embedding: [0.1] }, ollamaEmbed).of('usage')).toEqual([]);
  });

  it('are counted however long their vectors are, which are not held', () => {
    const data = Array.from({ length: 400 }, (_, index) => ({ index, embedding: 'qvvN'.repeat(100) }));
    const log = read({ ...OPENAI, data, usage: { prompt_tokens: 8, total_tokens: 8 } }, openaiEmbeddings, 1000);
    expect([log.merged, log.degradations]).toEqual([{ inputTokens: 8 }, []]);
  });

  it('on a path that both use tell by their shape whose they are', () => {
    const apiOf = (body: Json) => {
      const opened = ollamaEmbed.open(JSON_BODY, new FactLog(), 10_000);
      opened?.reader.push(Buffer.from(JSON.stringify(body)));
      opened?.reader.end(true);
      return opened?.api;
    };
    expect(apiOf({ ...OPENAI, usage: { total_tokens: 1 } })).toBe('openai.embeddings');
    expect(apiOf({ embedding: [1] })).toBe('ollama.embed');
  });

  it.each([
    ['/v1/embeddings', 'openai.embeddings', null],
    ['/openai/deployments/ada/embeddings', 'openai.embeddings', 'ada'],
    ['/api/embed', 'ollama.embed', null],
    ['/api/embeddings', 'ollama.embed', null],
  ])('are %s, and no generation', (path, api, modelFromPath) => {
    expect(endpointOf('POST', path)).toMatchObject({ api, modelFromPath, generation: false, dialect: { api } });
  });
});
