import type { InputText } from './protocol.ts';

/**
 * Tokens of a chat prompt that stand in no text, as OpenAI publishes them in its cookbook ("How to
 * count tokens with tiktoken", `num_tokens_from_messages`): the marks around each message, one for a
 * name, and the primed begin of the answer.
 */
const PER_MESSAGE = 3;
const PER_NAME = 1;
const PRIMING = 3;
/** The published harmony format begins an answer with `<|start|>assistant`: two tokens, and recordings agree. */
const HARMONY_PRIMING = 2;

export function chatOverhead(messages: InputText['messages'], isHarmony: boolean): number {
  if (messages.length === 0) return 0;
  const named = messages.filter((message) => message.name !== null).length;
  return PER_MESSAGE * messages.length + PER_NAME * named + (isHarmony ? HARMONY_PRIMING : PRIMING);
}
