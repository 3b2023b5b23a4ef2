import { ByShape } from '../by-shape.ts';
import type { AnswerHead, Api, Dialect, FactSink } from '../facts.ts';
import type { JsonObject } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { SglangMessages } from './sglang-generate.ts';
import { TgiMessages } from './tgi-generate.ts';
import { UnknownApi } from './unknown-api.ts';

/** `…/generate_stream` and `/`: TGI's. */
export const tgiGenerate: Dialect = textGeneration('tgi.generate');

/** `…/generate`: SGLang's and TGI's. */
export const sglangGenerate: Dialect = textGeneration('sglang.generate');

/** The paths do not tell the two apart, but every message does. A batch is answered by a list. */
function textGeneration(api: Api): Dialect {
  return {
    api,
    open(head, sink, eventBytes) {
      const messages = new ByShape(
        (message) => nativeReader(message, head, sink),
        () => new UnknownApi(),
      );
      return openMessages(head, messages, { sink, eventBytes, list: 'body' });
    },
  };
}

/** The engine whose own API the message is of; null when it is neither's. */
export function nativeReader(message: JsonObject, head: AnswerHead, sink: FactSink): MessageReader | null {
  if (message['meta_info'] !== undefined) return new SglangMessages(sink, head.asked);
  const isTgi = message['token'] !== undefined || message['generated_text'] !== undefined;
  return isTgi ? new TgiMessages(head, sink) : null;
}
