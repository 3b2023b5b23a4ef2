import { anthropicComplete } from './dialects/anthropic-complete.ts';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { bedrockConverse } from './dialects/bedrock-converse.ts';
import { asksForText, bedrockInvoke } from './dialects/bedrock-invoke.ts';
import { cohereChat } from './dialects/cohere-chat.ts';
import { ollamaEmbed, openaiEmbeddings } from './dialects/embeddings.ts';
import { geminiGenerate } from './dialects/gemini-generate.ts';
import { geminiInteractions } from './dialects/gemini-interactions.ts';
import { anthropicRawPredict, invocations } from './dialects/invocations.ts';
import { llamacppCompletion } from './dialects/llamacpp-completion.ts';
import { ollamaChat, ollamaGenerate } from './dialects/ollama.ts';
import { openaiAssistants } from './dialects/openai-assistants.ts';
import { openaiAudio } from './dialects/openai-audio.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiCompletions } from './dialects/openai-completions.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import { sglangGenerate, tgiGenerate } from './dialects/text-generation.ts';
import { tritonGenerate } from './dialects/triton-generate.ts';
import { watsonx } from './dialects/watsonx.ts';
import type { Api, Dialect } from './facts.ts';
import { endOf, PathPattern } from './path-pattern.ts';

/** What a request's method and path say of it. */
export interface Endpoint {
  api: Api;
  /** The request asks a model for output. */
  generation: boolean;
  /** The model where the path names it (Gemini, Azure's deployment), else null. */
  modelFromPath: string | null;
  /** Null: nobody reads the answer, only its bytes are counted. */
  dialect: Dialect | null;
  /** The answer is streamed unless the request says otherwise. */
  streamsByDefault: boolean;
}

interface Route {
  /** The end of the path; see `PathPattern`. */
  readonly path: PathPattern;
  readonly dialect: Dialect;
  /** By the model that the path names, where that decides. */
  readonly generation: boolean | ((model: string) => boolean);
  readonly streamsByDefault: boolean;
}

const route = (
  path: string,
  dialect: Dialect,
  unlike: { generation?: Route['generation']; streamsByDefault?: true } = {},
): Route => ({ path: new PathPattern(path), dialect, generation: true, streamsByDefault: false, ...unlike });

/** Every API that is metered, first match first. A new one is one line here and one file in `dialects/`. */
const ROUTES: readonly Route[] = [
  route('/chat/completions', openaiChat),
  route('/completions', openaiCompletions),
  route('/v1/messages', anthropicMessages),
  route('/publishers/anthropic/models/{model}:rawPredict', anthropicRawPredict),
  route('/publishers/anthropic/models/{model}:streamRawPredict', anthropicRawPredict, { streamsByDefault: true }),
  route('/publishers/*/models/{model}:rawPredict', invocations),
  route('/publishers/*/models/{model}:streamRawPredict', invocations, { streamsByDefault: true }),
  route('/v1/complete', anthropicComplete),
  route('/model/{model}/converse', bedrockConverse),
  route('/model/{model}/converse-stream', bedrockConverse, { streamsByDefault: true }),
  route('/model/{model}/invoke', bedrockInvoke, { generation: asksForText }),
  route('/model/{model}/invoke-with-response-stream', bedrockInvoke, { streamsByDefault: true }),
  route('/v1/chat', cohereChat),
  route('/v2/chat', cohereChat),
  route('/text/chat', watsonx),
  route('/text/chat_stream', watsonx, { streamsByDefault: true }),
  route('/text/generation', watsonx),
  route('/text/generation_stream', watsonx, { streamsByDefault: true }),
  route('/generation/text', watsonx),
  route('/generation/text_stream', watsonx, { streamsByDefault: true }),
  route('/responses', openaiResponses),
  route('/api/embed', ollamaEmbed, { generation: false }),
  route('/api/embeddings', ollamaEmbed, { generation: false }),
  route('/embeddings', openaiEmbeddings, { generation: false }),
  route('/audio/transcriptions', openaiAudio),
  route('/audio/translations', openaiAudio),
  route('/audio/speech', openaiAudio, { generation: false }),
  route('/threads/runs', openaiAssistants),
  route('/threads/*/runs', openaiAssistants),
  route('/threads/*/runs/*/submit_tool_outputs', openaiAssistants),
  route('/{model}:generateContent', geminiGenerate),
  route('/{model}:streamGenerateContent', geminiGenerate, { streamsByDefault: true }),
  route('/interactions', geminiInteractions),
  route('/api/chat', ollamaChat, { streamsByDefault: true }),
  route('/api/generate', ollamaGenerate, { streamsByDefault: true }),
  route('/v2/models/{model}/generate', tritonGenerate),
  route('/v2/models/{model}/generate_stream', tritonGenerate, { streamsByDefault: true }),
  route('/v2/models/{model}/versions/*/generate', tritonGenerate),
  route('/v2/models/{model}/versions/*/generate_stream', tritonGenerate, { streamsByDefault: true }),
  route('/completion', llamacppCompletion),
  route('/infill', llamacppCompletion),
  route('/generate', sglangGenerate),
  route('/generate_stream', tgiGenerate, { streamsByDefault: true }),
  route('/', tgiGenerate),
  route('/serving-endpoints/{model}/invocations', invocations),
  route('/invocations', invocations),
];

/** Paths that end like one above and are another API's: LM Studio's own chat, and Vertex's count of Claude's tokens. */
const UNREAD: readonly PathPattern[] = [
  new PathPattern('/api/v1/chat'),
  new PathPattern('/publishers/anthropic/models/count-tokens:rawPredict'),
];

const OTHER: Endpoint = {
  api: 'other',
  generation: false,
  modelFromPath: null,
  dialect: null,
  streamsByDefault: false,
};

/** `path` without the query, as it was sent: case matters and nothing is decoded; a trailing slash does not matter. */
export function endpointOf(method: string, path: string): Endpoint {
  if (method !== 'POST') return OTHER;
  const end = endOf(path);
  if (UNREAD.some((pattern) => pattern.match(end) !== null)) return OTHER;
  for (const { path: pattern, dialect, generation: asks, streamsByDefault } of ROUTES) {
    const model = pattern.match(end);
    if (model === null) continue;
    const generation = typeof asks === 'boolean' ? asks : asks(model);
    return { api: dialect.api, generation, modelFromPath: model || null, dialect, streamsByDefault };
  }
  return OTHER;
}
