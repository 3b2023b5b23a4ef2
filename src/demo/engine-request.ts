import { logUniformInteger, type Random } from './random.ts';

export const DEMO_MODEL = 'pitot-demo-8b';

/** Longest prompt plus answer, in tokens: bounds what one request can make the engine do. */
export const CONTEXT_WINDOW_TOKENS = 32_768;
/** Where the simulated model ends by itself, unless the request says `ignore_eos`. */
const NATURAL_OUTPUT_TOKENS = { least: 40, most: 400 };

export type GenerationApi = 'chat' | 'completions';

/** A generation as the engine understood it. */
export interface Generation {
  api: GenerationApi;
  inputTokens: number;
  outputTokens: number;
  finishReason: 'stop' | 'length';
  stream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
}

/** Why a request is refused, for OpenAI's error shape. */
export interface Refusal {
  status: number;
  type: string;
  message: string;
}

export type Understood = { kind: 'generation'; generation: Generation } | { kind: 'refusal'; refusal: Refusal };

/** The simulated tokenizer: one token for every four characters begun, at least one. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

/** Reads the body of a generation request. What it does not know it ignores, as engines do. */
export function understandGeneration(api: GenerationApi, body: string, random: Random): Understood {
  const request = parseObject(body);
  if (request === null) return refuse('the body is not a JSON object');
  const model = request['model'] ?? DEMO_MODEL;
  if (model !== DEMO_MODEL) {
    return refuse(`The model \`${String(model)}\` does not exist.`, { status: 404, type: 'NotFoundError' });
  }
  if ((request['n'] ?? 1) !== 1) return refuse('n must be 1: the simulated engine gives one choice');
  const prompt = api === 'chat' ? chatText(request['messages']) : request['prompt'];
  if (typeof prompt !== 'string')
    return refuse(api === 'chat' ? 'messages must be a non-empty array' : 'prompt must be a string');
  const inputTokens = countTokens(prompt);
  const limit = request['max_completion_tokens'] ?? request['max_tokens'] ?? null;
  if (limit !== null && !isTokenLimit(limit)) return refuse('max_tokens must be a whole number of at least 1');
  const naturalTokens = logUniformInteger(random, NATURAL_OUTPUT_TOKENS.least, NATURAL_OUTPUT_TOKENS.most);
  const limited = limit !== null && (limit <= naturalTokens || request['ignore_eos'] === true);
  const outputTokens = limited ? limit : naturalTokens;
  if (inputTokens + outputTokens > CONTEXT_WINDOW_TOKENS) {
    return refuse(`This model's maximum context length is ${CONTEXT_WINDOW_TOKENS} tokens.`);
  }
  const options = asObject(request['stream_options']);
  const includeUsage = options?.['include_usage'] === true;
  return {
    kind: 'generation',
    generation: {
      api,
      inputTokens,
      outputTokens,
      finishReason: limited ? 'length' : 'stop',
      stream: request['stream'] === true,
      includeUsage,
      // As in vLLM: the running count needs include_usage as well.
      continuousUsage: includeUsage && options?.['continuous_usage_stats'] === true,
    },
  };
}

function refuse(
  message: string,
  as: { status: number; type: string } = { status: 400, type: 'BadRequestError' },
): Understood {
  return { kind: 'refusal', refusal: { ...as, message } };
}

function isTokenLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

/** The text of all messages; parts that are not text are worth nothing here. Null for no messages. */
function chatText(messages: unknown): string | null {
  if (!Array.isArray(messages) || messages.length === 0) return null;
  return messages.map((message) => contentText(asObject(message)?.['content'])).join('\n');
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => asObject(part)?.['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

function parseObject(body: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // A JSON object: every property is unknown until it is looked at.
  return value as Record<string, unknown>;
}
