import { CountReader } from '../counts.ts';
import type { AnswerHead, FactSink } from '../facts.ts';
import { headNumber } from '../head-numbers.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { usageOf } from '../snapshot.ts';
import { say } from './say.ts';

interface Counts {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/**
 * TGI's own `…/generate_stream`, `…/generate` and `/` (FORMATS §10). An event is a token, so their
 * number is a running count; the last one has the whole text, and `details` where they were asked for.
 * What they leave out, the headers of an unstreamed answer have.
 */
export class TgiMessages implements MessageReader {
  readonly api = 'tgi.generate';
  readonly #head: AnswerHead;
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  #tokens = 0;
  #isOver = false;

  constructor(head: AnswerHead, sink: FactSink) {
    this.#head = head;
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  get complete(): boolean {
    return this.#isOver;
  }

  message(message: JsonObject, isBody: boolean): void {
    const token = object(message['token']);
    const isLast = typeof message['generated_text'] === 'string';
    if (token !== null) this.#readToken(token);
    else if (this.#tokens === 0) say(this.#sink, 'content', message['generated_text']);
    if (isLast) this.#isOver = true;
    const details = object(message['details']);
    if (details !== null) this.#readDetails(details, isBody);
    else if (token !== null) this.#sink.usage({ outputTokens: this.#tokens }, isLast);
    else if (isBody) this.#say(this.#readHead());
  }

  end(): void {}

  /** An end token counts, but nobody sees its text. */
  #readToken(token: JsonObject): void {
    this.#tokens += 1;
    if (token['special'] !== true) say(this.#sink, 'content', token['text']);
  }

  /** An unstreamed answer tells its prompt in the header, or lists it here, if that was asked for. */
  #readDetails(details: JsonObject, isBody: boolean): void {
    const head = isBody ? this.#readHead() : {};
    const prefill = array(details['prefill']).length;
    const listed = array(details['tokens']).length || this.#tokens;
    this.#say({
      inputTokens:
        this.#counts.read(details['input_length']) ?? head.inputTokens ?? (prefill > 0 ? prefill : undefined),
      outputTokens:
        this.#counts.read(details['generated_tokens']) ?? head.outputTokens ?? (listed > 0 ? listed : undefined),
    });
    const reason = string(details['finish_reason']);
    if (reason !== '') this.#sink.choiceEnded(0, reason);
  }

  #readHead(): Counts {
    return {
      inputTokens: this.#counts.read(headNumber(this.#head, 'x-prompt-tokens')),
      outputTokens: this.#counts.read(headNumber(this.#head, 'x-generated-tokens')),
    };
  }

  #say(counts: Counts): void {
    const said = usageOf(counts);
    if (said !== null) this.#sink.usage(said, true);
  }
}
