import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { AnthropicUsage } from './anthropic-usage.ts';
import { say, sayCall } from './say.ts';

/** `POST …/v1/messages`, streamed and not (FORMATS §4), as Anthropic and the servers that copy it send it. */
export const anthropicMessages: Dialect = {
  api: 'anthropic.messages',
  open(head, sink, eventBytes) {
    return openMessages(head, new AnthropicMessages(sink), { sink, eventBytes });
  },
};

/** Its events, told apart by `type`, and its bodies. Content blocks follow each other within the one choice there is. */
export class AnthropicMessages implements MessageReader {
  readonly api = 'anthropic.messages';
  readonly #sink: FactSink;
  readonly #name: ModelName;
  readonly #usage: AnthropicUsage;
  #hasReason = false;
  #isStopped = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#name = new ModelName(sink);
    this.#usage = new AnthropicUsage(sink);
  }

  get complete(): boolean {
    return this.#isStopped;
  }

  message(message: JsonObject, isBody: boolean): void {
    if (isBody) this.#readBody(message);
    else this.#readEvent(message);
  }

  end(): void {}

  #readBody(body: JsonObject): void {
    this.#name.read(body['model']);
    for (const block of array(body['content'])) this.#readBlock(object(block));
    this.#readReason(body);
    this.#usage.readLast(object(body['usage']), true);
  }

  #readEvent(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start': {
        const message = object(event['message']);
        this.#name.read(message?.['model']);
        this.#usage.readFirst(object(message?.['usage']));
        break;
      }
      case 'content_block_start':
        this.#readBlock(object(event['content_block']));
        break;
      case 'content_block_delta':
        this.#readDelta(object(event['delta']));
        break;
      case 'message_delta':
        this.#readReason(object(event['delta']));
        this.#usage.readLast(object(event['usage']), this.#hasReason);
        break;
      case 'message_stop':
        this.#isStopped = true;
        break;
    }
  }

  #readReason(holder: JsonObject | null): void {
    const reason = string(holder?.['stop_reason']);
    if (reason === '' || this.#hasReason) return;
    this.#hasReason = true;
    this.#sink.choiceEnded(0, reason);
  }

  /**
   * A whole block in a body; the empty beginning of one in a stream, save for a tool's name. Results of
   * tools that ran at the server are blocks too, but no model wrote them.
   */
  #readBlock(block: JsonObject | null): void {
    if (block === null) return;
    say(this.#sink, 'content', block['text']);
    say(this.#sink, 'reasoning', block['thinking']);
    if (string(block['type']).endsWith('tool_use')) sayCall(this.#sink, block['name'], block['input']);
  }

  /** Signatures and citations are deltas too; they are not written by the model. */
  #readDelta(delta: JsonObject | null): void {
    if (delta === null) return;
    say(this.#sink, 'content', delta['text']);
    say(this.#sink, 'reasoning', delta['thinking']);
    say(this.#sink, 'tool', delta['partial_json']);
  }
}
