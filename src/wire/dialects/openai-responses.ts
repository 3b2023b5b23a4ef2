import { CountReader } from '../counts.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { readTimings } from './openai-timings.ts';
import { ResponseItems } from './response-items.ts';
import { readTokenUsage } from './token-usage.ts';

/** `POST …/responses`, streamed and not (FORMATS §2), as OpenAI and the many that copied it send it. */
export const openaiResponses: Dialect = {
  api: 'openai.responses',
  open(head, sink, eventBytes) {
    return openMessages(head, new ResponsesMessages(sink), { sink, eventBytes });
  },
};

/** A response in one of these is over; in another it has not been written yet (`background`). */
const LAST_STATES = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

export class ResponsesMessages implements MessageReader {
  readonly api = 'openai.responses';
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  readonly #items: ResponseItems;
  #isOver = false;
  #hasReason = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
    this.#items = new ResponseItems(sink);
  }

  get complete(): boolean {
    return this.#isOver;
  }

  message(message: JsonObject, isBody: boolean): void {
    if (isBody) this.#readResponse(message, string(message['status']));
    else this.#readEvent(message, string(message['type']));
  }

  end(): void {}

  #readEvent(event: JsonObject, type: string): void {
    if (type === 'error') {
      this.#isOver = true;
      this.#sink.failed();
      return;
    }
    const response = object(event['response']);
    if (response === null) this.#items.read(event, type);
    else this.#readResponse(response, type.startsWith('response.') ? type.slice('response.'.length) : '');
  }

  /** The whole response, in the state that its event or its own status says. */
  #readResponse(response: JsonObject, state: string): void {
    this.#name.read(response['model']);
    if (!LAST_STATES.has(state) && state !== '') return;
    this.#items.readAll(array(response['output']));
    const usage = object(response['usage']);
    const said = usage === null ? null : readTokenUsage(usage, this.#counts);
    if (said !== null) this.#sink.usage(said, true);
    const timings = readTimings(response, usage);
    if (timings !== null) this.#sink.timings(timings);
    if (state === '' || this.#hasReason) return;
    this.#isOver = true;
    this.#hasReason = true;
    if (state === 'failed') this.#sink.failed();
    const reason = string(object(response['incomplete_details'])?.['reason']);
    this.#sink.choiceEnded(0, reason === '' ? state : `${state}:${reason}`);
  }
}
