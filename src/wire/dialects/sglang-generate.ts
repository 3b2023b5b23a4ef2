import { Choices, choiceNumber } from '../choices.ts';
import { CountReader } from '../counts.ts';
import { fromSeconds, unlessSilent } from '../durations.ts';
import type { AskedFor, FactSink } from '../facts.ts';
import { array, count, type JsonObject, object, string } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { usageOf } from '../snapshot.ts';
import { ChoiceUsage } from './choice-usage.ts';
import { GrowingList } from './growing-list.ts';
import { GrowingText } from './growing-text.ts';

/** What one prompt has got so far. */
class Answer {
  readonly text = new GrowingText();
  readonly ids = new GrowingList();
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
  readonly #choices: Choices;
  readonly #usage: ChoiceUsage;
  readonly #lists: ChoiceUsage;
  readonly #answers = new Map<number, Answer>();
  #bodies = 0;

  constructor(sink: FactSink, asked?: AskedFor) {
    this.#sink = sink;
    this.#choices = new Choices(asked?.prompts);
    this.#counts = new CountReader(sink);
    this.#usage = new ChoiceUsage(sink, this.#choices, { ownPrompts: true });
    this.#lists = new ChoiceUsage(sink, this.#choices, { origin: 'lists' });
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
    const tokens = this.#readText(message, meta, index);
    this.#readReason(meta['finish_reason'], index);
    this.#readUsage(meta, index);
    if (tokens !== null && count(meta['completion_tokens']) === null) this.#lists.add(index, { outputTokens: tokens });
  }

  end(): void {}

  /**
   * `output_ids` are as cumulative as the text: more of them than there are new tokens tell that both
   * are whole. The end can lack a stop token, hence the wait for two. Returns the tokens so far, by the ids
   * where there is no count of them; null where there is neither.
   */
  #readText(message: JsonObject, meta: JsonObject, index: number): number | null {
    const answer = this.#answers.get(index) ?? new Answer();
    this.#answers.set(index, answer);
    const ids = array(message['output_ids']);
    answer.ids.next(ids);
    const counted = count(meta['completion_tokens']);
    const tokens = counted ?? (answer.ids.total > 0 ? answer.ids.total : null);
    const newTokens = tokens === null ? null : Math.max(0, tokens - answer.tokens);
    const tells = counted !== null && ids.length > 0 && answer.tokens > 1 && counted > answer.tokens;
    const isWhole = tells ? ids.length > counted - answer.tokens : null;
    const text = answer.text.next(string(message['text']), { isWhole, tokens, newTokens });
    answer.tokens = Math.max(answer.tokens, tokens ?? 0);
    if (text !== '') this.#sink.output(index, 'content', text);
    return tokens;
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
    if (said !== null) this.#usage.add(index, said);
    const timings = unlessSilent({
      queue_ms: fromSeconds(meta['queue_time']),
      prefill_ms: null,
      decode_ms: null,
      total_ms: fromSeconds(meta['e2e_latency']),
    });
    if (timings !== null) this.#sink.timings(timings);
  }
}
