import { Choices, choiceNumber } from '../choices.ts';
import { CountReader } from '../counts.ts';
import { fromSeconds, unlessSilent } from '../durations.ts';
import type { FactSink } from '../facts.ts';
import { array, count, type JsonObject, object, string } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { usageOf } from '../snapshot.ts';
import { ChoiceUsage } from './choice-usage.ts';
import { GrowingText } from './growing-text.ts';

/** What one prompt has got so far. */
class Answer {
  readonly text = new GrowingText();
  tokens = 0;
}

/**
 * `POST /generate` of SGLang, and of LMDeploy, which took over its shape (FORMATS §9). Counts are
 * cumulative, the text usually is too, and several prompts interleave. SGLang runs every prompt and
 * every sample as a request of its own, so the counts of all add up.
 */
export class SglangMessages implements MessageReader {
  readonly api = 'sglang.generate';
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #choices = new Choices();
  readonly #usage: ChoiceUsage;
  readonly #answers = new Map<number, Answer>();
  #bodies = 0;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#usage = new ChoiceUsage(sink, { ownPrompts: true });
  }

  get complete(): boolean {
    return this.#choices.allEnded;
  }

  /** Bodies of a batch stand in a list, and have no index. */
  message(message: JsonObject, isBody: boolean): void {
    const meta = object(message['meta_info']);
    if (meta === null) return;
    const index = choiceNumber(message['index'], isBody ? this.#bodies : 0);
    if (isBody) this.#bodies += 1;
    this.#choices.see(index);
    this.#readText(message, meta, index);
    this.#readReason(meta['finish_reason'], index);
    this.#readUsage(meta, index);
  }

  end(): void {}

  /**
   * `output_ids` are as cumulative as the text: more of them than there are new tokens tell that both
   * are whole. The end can lack a stop token, hence the wait for two.
   */
  #readText(message: JsonObject, meta: JsonObject, index: number): void {
    const answer = this.#answers.get(index) ?? new Answer();
    this.#answers.set(index, answer);
    const ids = array(message['output_ids']).length;
    const tokens = count(meta['completion_tokens']) ?? 0;
    const tells = ids > 0 && answer.tokens > 1 && tokens > answer.tokens;
    const text = answer.text.next(string(message['text']), tells ? ids > tokens - answer.tokens : null);
    answer.tokens = Math.max(answer.tokens, tokens);
    if (text !== '') this.#sink.output(index, 'content', text);
  }

  /** An object, a string in old versions. `abort` is how a request ends that went wrong. */
  #readReason(said: unknown, index: number): void {
    const reason = string(object(said)?.['type'] ?? said);
    if (reason === '' || !this.#choices.end(index)) return;
    this.#sink.choiceEnded(index, reason);
    if (reason === 'abort') this.#sink.failed();
  }

  #readUsage(meta: JsonObject, index: number): void {
    const said = usageOf({
      inputTokens: this.#counts.read(meta['prompt_tokens']),
      cachedInputTokens: this.#counts.read(meta['cached_tokens']),
      outputTokens: this.#counts.read(meta['completion_tokens']),
      reasoningTokens: this.#counts.read(meta['reasoning_tokens']),
    });
    const { allEnded } = this.#choices;
    if (said !== null) this.#usage.add(index, said, { ended: this.#choices.hasEnded(index), allEnded });
    const timings = unlessSilent({
      queue_ms: fromSeconds(meta['queue_time']),
      prefill_ms: null,
      decode_ms: null,
      total_ms: fromSeconds(meta['e2e_latency']),
    });
    if (timings !== null) this.#sink.timings(timings);
  }
}
