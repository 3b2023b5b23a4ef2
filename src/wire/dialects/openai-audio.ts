import { ByShape } from '../by-shape.ts';
import { CountReader } from '../counts.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ChatPayload } from './chat-payload.ts';
import { OpenaiMessages } from './openai-messages.ts';
import { say } from './say.ts';
import { readTokenUsage } from './token-usage.ts';

/**
 * `POST …/audio/transcriptions`, `…/translations` and `…/speech` (FORMATS §2). Plain text (`text`, `srt`,
 * `vtt`) and sound say nothing of tokens: their bytes are all there is to count.
 */
export const openaiAudio: Dialect = {
  api: 'openai.audio',
  open(head, sink, eventBytes) {
    if (head.mediaType === 'text/plain') return null;
    const messages = new ByShape((message) => {
      // vLLM streams chat chunks.
      if (message['choices'] !== undefined) {
        return new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false });
      }
      return isOfAudio(message) ? new AudioMessages(sink) : null;
    });
    return openMessages(head, messages, { sink, eventBytes });
  },
};

/** An event of a transcript or of speech, or a body. */
function isOfAudio(message: JsonObject): boolean {
  return /^(?:transcript|speech)\./.test(string(message['type'])) || message['text'] !== undefined;
}

/** Its events, told apart by `type`, and its bodies. A text comes in deltas, or in segments, and whole at the end. */
class AudioMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  /** The events that told the text: what repeats it is not told again. */
  #told: 'delta' | 'segment' | null = null;
  #isOver = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  get complete(): boolean {
    return this.#isOver;
  }

  message(message: JsonObject, isBody: boolean): void {
    switch (isBody ? 'body' : message['type']) {
      case 'transcript.text.delta':
        this.#tell('delta', message['delta']);
        break;
      case 'transcript.text.segment':
        if (this.#told !== 'delta') this.#tell('segment', message['text']);
        break;
      case 'speech.audio.delta':
        say(this.#sink, 'audio', message['audio']);
        break;
      case 'transcript.text.done':
      case 'speech.audio.done':
        this.#isOver = true;
        this.#readWhole(message);
        break;
      case 'body':
        this.#readWhole(message);
        break;
    }
  }

  end(): void {}

  #tell(by: 'delta' | 'segment', text: unknown): void {
    if (string(text) === '') return;
    this.#told = by;
    say(this.#sink, 'content', text);
  }

  #readWhole(message: JsonObject): void {
    if (this.#told === null) say(this.#sink, 'content', message['text']);
    const usage = object(message['usage']);
    const said = usage === null ? null : readTokenUsage(usage, this.#counts);
    if (said !== null) this.#sink.usage(said, true);
  }
}
