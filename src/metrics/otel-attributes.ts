import type { UpstreamConfig } from '../config/schema.ts';
import type { UsageRecord } from '../meter/record.ts';
import type { Api } from '../wire/facts.ts';

/** The conventions' word for what an API does, and for whose format it is. */
interface ApiAttributes {
  readonly operation: string;
  readonly provider: string;
}

/**
 * Our APIs in the well-known values of `gen_ai.operation.name` and `gen_ai.provider.name`; servers that the
 * conventions have no value for keep our name. Null: no operation of a model.
 * Where one API does several things (audio, the bodies of Bedrock's invoke, watsonx), it is `generate_content`.
 */
const OF_API: Readonly<Record<Api, ApiAttributes | null>> = {
  'openai.chat': { operation: 'chat', provider: 'openai' },
  'openai.completions': { operation: 'text_completion', provider: 'openai' },
  'openai.responses': { operation: 'chat', provider: 'openai' },
  'openai.embeddings': { operation: 'embeddings', provider: 'openai' },
  'openai.audio': { operation: 'generate_content', provider: 'openai' },
  'openai.assistants': { operation: 'invoke_agent', provider: 'openai' },
  'anthropic.messages': { operation: 'chat', provider: 'anthropic' },
  'anthropic.complete': { operation: 'text_completion', provider: 'anthropic' },
  'gemini.generate': { operation: 'generate_content', provider: 'gcp.gen_ai' },
  'gemini.interactions': { operation: 'generate_content', provider: 'gcp.gen_ai' },
  'ollama.chat': { operation: 'chat', provider: 'ollama' },
  'ollama.generate': { operation: 'text_completion', provider: 'ollama' },
  'ollama.embed': { operation: 'embeddings', provider: 'ollama' },
  'tgi.generate': { operation: 'text_completion', provider: 'tgi' },
  'sglang.generate': { operation: 'text_completion', provider: 'sglang' },
  'llamacpp.completion': { operation: 'text_completion', provider: 'llama.cpp' },
  'triton.generate': { operation: 'text_completion', provider: 'triton' },
  'cohere.chat': { operation: 'chat', provider: 'cohere' },
  'bedrock.converse': { operation: 'chat', provider: 'aws.bedrock' },
  'bedrock.invoke': { operation: 'generate_content', provider: 'aws.bedrock' },
  watsonx: { operation: 'generate_content', provider: 'ibm.watsonx.ai' },
  websocket: null,
  other: null,
};

type Engine = UpstreamConfig['engine'];

/** Engines whose provider has another name in the conventions; null: the engine says nothing, the API must. */
const PROVIDER_OF_ENGINE: Readonly<Partial<Record<Engine, string | null>>> = {
  auto: null,
  other: null,
  azure: 'azure.ai.openai',
  gemini: 'gcp.gen_ai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
};
const PROVIDERS = new Map<string, string | null>(Object.entries(PROVIDER_OF_ENGINE));

/** What a request to this API is called; null for what asks no model. `engine`: as configured or recognised. */
export function operationOf(api: Api, engine: string | null): ApiAttributes | null {
  const ofApi = OF_API[api];
  if (ofApi === null || engine === null) return ofApi;
  const renamed = PROVIDERS.get(engine);
  return { operation: ofApi.operation, provider: (renamed === undefined ? engine : renamed) ?? ofApi.provider };
}

/** `error.type`: empty for success, the status code of an error answer, else our outcome. */
export function errorTypeOf({ outcome, status }: Readonly<UsageRecord>): string {
  if (outcome === 'complete') return '';
  return outcome === 'upstream_error' ? String(status) : outcome;
}
