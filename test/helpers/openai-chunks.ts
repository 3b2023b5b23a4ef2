/** Chunks and streams in OpenAI's shape, written short. */

type Json = Record<string, unknown>;

const event = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`;

/** The messages as an event stream, ended by `[DONE]`. */
export const stream = (...messages: unknown[]): string => `${cutStream(...messages)}data: [DONE]\n\n`;

/** The messages as an event stream that ends without a marker. */
export const cutStream = (...messages: unknown[]): string => messages.map(event).join('');

/** A chunk with one choice. `rest` adds to or replaces the chunk's own keys. */
export const delta = (payload: Json, rest: Json = {}, index = 0): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index, delta: payload, finish_reason: null }],
  ...rest,
});

export const role = (index = 0): Json => delta({ role: 'assistant', content: '' }, {}, index);

export const content = (text: string, rest: Json = {}, index = 0): Json => delta({ content: text }, rest, index);

export const finish = (reason = 'stop', rest: Json = {}, index = 0): Json => ({
  ...delta({}, rest, index),
  choices: [{ index, delta: {}, finish_reason: reason }],
});

/** A chunk of `completions`. */
export const text = (value: string, rest: Json = {}, index = 0): Json => ({
  id: 'cmpl-1',
  object: 'text_completion',
  model: 'm',
  choices: [{ index, text: value, finish_reason: null }],
  ...rest,
});

/** The last chunk of a completion's choice, which may carry text too. */
export const lastText = (value: string, rest: Json = {}, index = 0): Json => ({
  ...text(value, rest, index),
  choices: [{ index, text: value, finish_reason: 'length' }],
});

/** `usage` as OpenAI writes it, without the total. */
export const usage = (prompt: number, completion: number, rest: Json = {}): Json => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, ...rest },
});

/** The chunk that holds nothing but usage. */
export const usageChunk = (prompt: number, completion: number, rest: Json = {}): Json => ({
  ...delta({}),
  choices: [],
  ...usage(prompt, completion, rest),
});
