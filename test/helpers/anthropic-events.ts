/** Events in Anthropic's shape, written short. */

type Json = Record<string, unknown>;

/** The messages as an event stream; each is named by its type. */
export const events = (...messages: Json[]): string =>
  messages.map((message) => `event: ${message['type']}\ndata: ${JSON.stringify(message)}\n\n`).join('');

export const start = (usage: Json = { input_tokens: 7, output_tokens: 1 }): Json => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage },
});

export const blockStart = (block: Json, index = 0): Json => ({
  type: 'content_block_start',
  index,
  content_block: block,
});

export const delta = (payload: Json, index = 0): Json => ({ type: 'content_block_delta', index, delta: payload });

export const text = (value: string, index = 0): Json => delta({ type: 'text_delta', text: value }, index);

export const blockStop = (index = 0): Json => ({ type: 'content_block_stop', index });

export const ping: Json = { type: 'ping' };

/** The last word: stop reason and usage. */
export const messageDelta = (usage: Json = { output_tokens: 2 }, reason: string | null = 'end_turn'): Json => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
});

export const stop: Json = { type: 'message_stop' };

/** An answer of two tokens. */
export const PLAIN: readonly Json[] = [
  start(),
  blockStart({ type: 'text', text: '' }),
  ping,
  text('Hel'),
  text('lo'),
  blockStop(),
  messageDelta(),
  stop,
];
