import { describe, expect, it } from 'vitest';
import { engineOfCompletion, engineOfHead, engineOfModels } from '../../../src/gateway/engine-signs.ts';
import { type CorpusEntry, corpusBody, corpusEntries } from '../../helpers/corpus.ts';

const raw = (...fields: string[]): Buffer[] => fields.map((text) => Buffer.from(text, 'latin1'));

describe('an engine', () => {
  it.each([
    [['Server', 'llama.cpp'], 'llama.cpp'],
    [['X-Compute-Type', '1-nvidia-a10g'], 'tgi'],
    [['openai-version', '2020-10-01'], 'openai'],
    [['openai-processing-ms', '12', 'apim-request-id', 'a'], 'azure'],
    [['Server', 'uvicorn'], null],
    [['x-note', 'server: llama.cpp'], null],
  ])('is recognised by its headers: %j', (fields, engine) => {
    expect(engineOfHead(raw('Content-Type', 'text/plain', ...fields))).toBe(engine);
  });

  it.each([
    ['{"choices":[{"finish_reason":"stop","stop_reason":null}]}', 'vllm'],
    ['{"choices":[{"delta":{}}],"prompt_token_ids":null}', 'vllm'],
    ['{"choices":[{"stop_reason":null,"disaggregated_params":null}]}', 'tensorrt-llm'],
    ['{"choices":[{"delta":{"content":"a"},"matched_stop":null}]}', 'sglang'],
    ['{"system_fingerprint":"fp_ollama"}', 'ollama'],
    ['{"system_fingerprint": "b5432-0af1b2c3"}', 'llama.cpp'],
    ['{"system_fingerprint":"3.2.1-dev0-native"}', 'tgi'],
    ['{"system_fingerprint":"2.0.1-sha-4ee0a0c"}', 'tgi'],
    ['{"system_fingerprint":"fp_44709d6fcb"}', null],
    ['{"delta":{"content":"the key \\"stop_reason\\":null"}}', null],
  ])('is recognised by its completions: %s', (text, engine) => {
    expect(engineOfCompletion(text)).toBe(engine);
  });

  it.each([
    ['{"data":[{"id":"m","owned_by":"vllm"},{"id":"lora","owned_by":"vllm"}]}', 'vllm'],
    ['{"data":[{"id":"m","owned_by": "sglang"}]}', 'sglang'],
    ['{"data":[{"id":"m","owned_by":"library"}]}', 'ollama'],
    ['{"data":[{"id":"m","owned_by":"openai"}]}', null],
    ['{"data":[{"owned_by":"vllm"},{"owned_by":"meta"}]}', null],
    ['{"data":[{"owned_by":"constructor"}]}', null],
    ['{"data":[]}', null],
  ])('is recognised by its list of models: %s', (text, engine) => {
    expect(engineOfModels(text)).toBe(engine);
  });
});

const providerOf = (entry: CorpusEntry): string => entry.api.split('.', 1)[0] ?? '';
const entries = corpusEntries(['openai.chat', 'openai.completions']);

describe.skipIf(entries === null)('the recordings', () => {
  /** Crusoe serves with vLLM, and says so. */
  const ENGINE_OF: Readonly<Record<string, string>> = { crusoe: 'vllm' };

  it.each((entries ?? []).map((entry) => [entry.file, entry] as const))('are never mistaken: %s', (_file, entry) => {
    const engine = engineOfCompletion(Buffer.from(corpusBody(entry)).toString('latin1'));
    if (engine !== null) expect(engine).toBe(ENGINE_OF[providerOf(entry)] ?? providerOf(entry));
  });

  it('of the engines that name themselves are recognised', () => {
    const named = (entries ?? []).filter((entry) => entry.status === 200 && /^(tgi|ollama)$/.test(providerOf(entry)));
    expect(named.length).toBeGreaterThan(4);
    for (const entry of named) {
      expect(engineOfCompletion(Buffer.from(corpusBody(entry)).toString('latin1'))).toBe(providerOf(entry));
    }
  });
});
