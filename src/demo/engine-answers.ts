import { DEMO_MODEL, type Generation, type Refusal } from './engine-request.ts';

/** What stays the same in all parts of one answer. */
export interface AnswerIdentity {
  id: string;
  createdEpochSeconds: number;
}

/** One output part of a stream. `outputTokens`: how many there are by now. */
export interface Part {
  text: string;
  outputTokens: number;
  finished: boolean;
}

/** The bodies of one answer in OpenAI's shapes, with the keys and the order that vLLM sends. */
export class AnswerShapes {
  readonly #generation: Generation;
  readonly #identity: AnswerIdentity;

  constructor(generation: Generation, identity: AnswerIdentity) {
    this.#generation = generation;
    this.#identity = identity;
  }

  /** The event that opens a chat stream: a role and no output. Null for text completions, which have none. */
  opening(): string | null {
    if (this.#generation.api !== 'chat') return null;
    const choice = { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null };
    return this.#chunk([choice], this.#runningUsage(0));
  }

  part(part: Part): string {
    const payload = this.#generation.api === 'chat' ? { delta: { content: part.text } } : { text: part.text };
    const finishReason = part.finished ? this.#generation.finishReason : null;
    const choice = { index: 0, ...payload, logprobs: null, finish_reason: finishReason };
    return this.#chunk([choice], this.#runningUsage(part.outputTokens));
  }

  /** What follows the last part: the usage chunk where it was asked for, then the terminal marker. */
  closing(): string {
    const usage = this.#generation.includeUsage
      ? this.#chunk([], { usage: this.#usage(this.#generation.outputTokens) })
      : '';
    return `${usage}data: [DONE]\n\n`;
  }

  /** The whole answer of a request that was not streamed. */
  whole(text: string): string {
    const chat = this.#generation.api === 'chat';
    const payload = chat ? { message: { role: 'assistant', content: text } } : { text };
    return JSON.stringify({
      ...this.#head(chat ? 'chat.completion' : 'text_completion'),
      choices: [{ index: 0, ...payload, logprobs: null, finish_reason: this.#generation.finishReason }],
      usage: this.#usage(this.#generation.outputTokens),
    });
  }

  #chunk(choices: readonly object[], usage: object): string {
    const object = this.#generation.api === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    return `data: ${JSON.stringify({ ...this.#head(object), choices, ...usage })}\n\n`;
  }

  #head(object: string): object {
    return { id: this.#identity.id, object, created: this.#identity.createdEpochSeconds, model: DEMO_MODEL };
  }

  #runningUsage(outputTokens: number): object {
    return this.#generation.continuousUsage ? { usage: this.#usage(outputTokens) } : {};
  }

  #usage(outputTokens: number): object {
    const { inputTokens } = this.#generation;
    return { prompt_tokens: inputTokens, total_tokens: inputTokens + outputTokens, completion_tokens: outputTokens };
  }
}

export function errorBody(refusal: Refusal): string {
  const { message, type, status } = refusal;
  return JSON.stringify({ error: { message, type, param: null, code: status } });
}
