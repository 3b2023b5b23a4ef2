import { CountReader } from '../counts.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { GrowingList } from './growing-list.ts';
import { say } from './say.ts';

/** `POST /v2/models/{model}/generate` and `…/generate_stream` of Triton (FORMATS §11): text, and what was asked for beside it. */
export const tritonGenerate: Dialect = {
  api: 'triton.generate',
  open: (head, sink, eventBytes) => openMessages(head, new TritonMessages(sink), { sink, eventBytes }),
};

/** A list of zeros that grows so often has one for each token. */
const GROWTHS = 2;

class TritonMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #name: ModelName;
  readonly #counts: CountReader;
  /** Log probabilities: one for each token. */
  readonly #list = new GrowingList();
  #listIsFilled = false;
  #inputTokens: number | undefined;
  #outputTokens: number | undefined;
  #isOurs = false;
  #hasReason = false;
  /** No message says that it is the last: the end of the body does. */
  complete = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#name = new ModelName(sink);
    this.#counts = new CountReader(sink);
  }

  message(message: JsonObject): void {
    this.#name.read(message['model_name']);
    const text = message['text_output'];
    if (text !== undefined) this.#isOurs = true;
    say(this.#sink, 'content', text);
    for (const part of array(text)) say(this.#sink, 'content', part);
    this.#readReason(string(message['finish_reason']));
    this.#readCounts(message);
    // Of several texts the lists are joined, and filled up to one length.
    if (array(text).length <= 1) this.#readList(message['output_log_probs']);
    this.#sayCounts(false);
  }

  end(whole: boolean): void {
    this.complete = whole && this.#isOurs;
    if (this.complete) this.#sayCounts(true);
  }

  /** `None` until there is one. */
  #readReason(reason: string): void {
    if (reason === '' || reason === 'None' || this.#hasReason) return;
    this.#hasReason = true;
    this.#sink.choiceEnded(0, reason);
  }

  /** `return_num_output_tokens`: of this message alone, and of each text. */
  #readCounts(message: JsonObject): void {
    const output = message['num_output_tokens'];
    const added = this.#counts.sum((Array.isArray(output) ? output : [output]).map((part) => this.#counts.read(part)));
    if (added !== undefined) this.#outputTokens = (this.#outputTokens ?? 0) + added;
    const input = message['num_input_tokens'];
    this.#inputTokens = this.#counts.read(Array.isArray(input) ? input[0] : input) ?? this.#inputTokens;
  }

  /**
   * Zeros are sent where no log probabilities were asked for, in old versions five of them whatever the text.
   * A list of one is written as its item.
   */
  #readList(probabilities: unknown): void {
    const list = typeof probabilities === 'number' ? [probabilities] : array(probabilities);
    this.#list.next(list);
    this.#listIsFilled ||= this.#list.growths >= GROWTHS || list.some((item) => typeof item === 'number' && item !== 0);
  }

  #sayCounts(final: boolean): void {
    const counts: { inputTokens?: number; outputTokens?: number } = {};
    if (this.#inputTokens !== undefined) counts.inputTokens = this.#inputTokens;
    if (this.#outputTokens !== undefined) counts.outputTokens = this.#outputTokens;
    if (this.#outputTokens !== undefined || this.#inputTokens !== undefined) this.#sink.usage(counts, final);
    if (this.#listIsFilled) this.#sink.usage({ outputTokens: this.#list.total }, final, 'lists');
  }
}
