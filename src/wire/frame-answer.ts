import type { AnswerHead, AnswerReader, FactSink, OpenedAnswer } from './facts.ts';
import { AwsFramer, type FrameHandler } from './framing/aws-event-stream.ts';
import { type JsonObject, parseObject } from './json.ts';
import { beginMessage, type MessageReader, openMessages } from './message-answer.ts';

const FRAMES = 'application/vnd.amazon.eventstream';

/** Opens an answer of Bedrock: JSON messages in AWS frames when it is streamed, else one JSON body. */
export function openFrames(
  head: AnswerHead,
  messages: MessageReader,
  parts: { sink: FactSink; eventBytes: number },
): OpenedAnswer | null {
  if (head.mediaType !== FRAMES) return openMessages(head, messages, parts);
  if (head.status < 200 || head.status > 299) return null;
  return { reader: new FrameAnswer(messages, parts), streamed: true };
}

/** Unpacks the messages of frames. An exception is a frame of its own kind, and arrives under status 200. */
class FrameAnswer implements AnswerReader, FrameHandler {
  readonly #messages: MessageReader;
  readonly #sink: FactSink;
  readonly #framer: AwsFramer;

  constructor(messages: MessageReader, parts: { sink: FactSink; eventBytes: number }) {
    this.#messages = messages;
    this.#sink = parts.sink;
    this.#framer = new AwsFramer(this, parts.eventBytes);
  }

  get complete(): boolean {
    return this.#messages.complete;
  }

  push(bytes: Uint8Array): void {
    this.#framer.push(bytes);
  }

  /** A frame that was cut has no checksum, so nothing in it can be believed. */
  end(whole: boolean): void {
    this.#messages.end(whole);
  }

  onFrame(headers: ReadonlyMap<string, string>, payload: string): void {
    const kind = headers.get(':message-type') ?? 'event';
    if (kind !== 'event' || headers.has(':exception-type')) {
      this.#sink.event();
      this.#sink.failed();
      return;
    }
    if (payload === '') return;
    const message = messageIn(payload);
    if (message === null) {
      this.onDamaged();
      return;
    }
    beginMessage(message, this.#sink);
    this.#messages.message(message, false);
  }

  onDamaged(): void {
    this.#sink.degraded('unparsed_event');
  }

  onTooLarge(): void {
    this.#sink.degraded('event_too_large');
  }
}

/** The payload, or what it wraps: `invoke` sends the vendor's own JSON in base64. */
function messageIn(payload: string): JsonObject | null {
  const message = parseObject(payload);
  const wrapped = message?.['bytes'];
  return typeof wrapped === 'string' ? parseObject(Buffer.from(wrapped, 'base64').toString('utf8')) : message;
}
