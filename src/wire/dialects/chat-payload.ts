import type { Channel, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';

/** Tells the sink what a choice generated. One per answer. */
export interface PayloadReader {
  read(choice: JsonObject, index: number): void;
}

/** The payload of a chat choice: every channel in which OpenAI-alikes put generated text. */
export class ChatPayload implements PayloadReader {
  readonly #sink: FactSink;
  #choice = 0;

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  /** A chunk has a `delta`, a body a `message`. Where both stand, `message` repeats all that came before (Perplexity). */
  read(choice: JsonObject, index: number): void {
    const delta = object(choice['delta']) ?? object(choice['message']);
    if (delta === null) return;
    this.#choice = index;
    this.#readReasoning(delta);
    this.#readContent(delta['content']);
    this.#say('refusal', delta['refusal']);
    const tools = array(delta['tool_calls']);
    for (const tool of tools) this.#readTool(object(tool));
    this.#readCall(object(delta['function_call']));
    const audio = object(delta['audio']);
    if (audio === null) return;
    this.#say('audio', audio['transcript']);
    this.#say('audio', audio['data']);
  }

  /** Servers in transition send the same text under the old and the new name: it counts once (FAULTS B27). */
  #readReasoning(delta: JsonObject): void {
    const text = string(delta['reasoning_content']) || string(delta['reasoning']);
    if (text !== '') {
      this.#sink.output(this.#choice, 'reasoning', text);
      return;
    }
    for (const detail of array(delta['reasoning_details'])) {
      const { text, summary } = object(detail) ?? {};
      this.#say('reasoning', text ?? summary);
    }
  }

  /** A string, or a list of parts (Mistral's thinking models). */
  #readContent(content: unknown): void {
    this.#say('content', content);
    for (const value of array(content)) {
      const part = object(value);
      if (part === null) continue;
      this.#say('content', part['text']);
      this.#say('reasoning', part['thinking']);
      for (const thought of array(part['thinking'])) this.#say('reasoning', object(thought)?.['text']);
    }
  }

  /** A function, or a custom tool, whose input is plain text. */
  #readTool(tool: JsonObject | null): void {
    this.#readCall(object(tool?.['function']));
    const custom = object(tool?.['custom']);
    this.#say('tool', custom?.['name']);
    this.#say('tool', custom?.['input']);
  }

  #readCall(call: JsonObject | null): void {
    if (call === null) return;
    this.#say('tool', call['name']);
    this.#say('tool', call['arguments']);
  }

  #say(channel: Channel, text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#sink.output(this.#choice, channel, text);
  }
}
