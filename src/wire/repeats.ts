import type { Channel, CountOrigin, DegradeReason, FactSink, ServerTimings, UsageSnapshot } from './facts.ts';

/** A stream whose events are never alike (each with a stamp, say) is not compared any further. */
const MOST_UNUSED = 8;

/**
 * Most events of a stream differ from the one before in one string only: the text. Once an event
 * was parsed and told nothing but one output, the next is compared with what stood around that text;
 * if it is the same and the new text needs no escapes, its facts are known without parsing it.
 *
 * Why that is sound: without a backslash in the event, a JSON string stands in it as itself. The text
 * in its quotes must stand there once, so it is that value and no key; and what replaces it holds no
 * quote, backslash or control character, so the structure around it cannot change.
 *
 * It stands between a reader and its sink, to see what an event told. Only for readers that keep
 * nothing between two such events.
 */
export class Repeats implements FactSink {
  readonly #sink: FactSink;
  #before = '';
  #behind = '';
  #choice = 0;
  #channel: Channel = 'content';
  /** What the event that was parsed last told: outputs, and anything else. */
  #outputs = 0;
  #others = 0;
  #text = '';
  /** What was learned and never used, in a row. */
  #unused = 0;

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  /** Tells the facts of an event that is like the last parsed one; false when it must be parsed. */
  tell(data: string): boolean {
    const before = this.#before;
    const behind = this.#behind;
    if (before === '' || data.length <= before.length + behind.length) return false;
    if (!data.startsWith(before) || !data.endsWith(behind)) return false;
    const text = data.slice(before.length, data.length - behind.length);
    if (!isPlain(text)) return false;
    this.#unused = 0;
    this.#sink.event();
    this.#sink.output(this.#choice, this.#channel, text);
    return true;
  }

  /** The event was parsed: remembers what stands around its text, if it told nothing else. */
  learn(data: string): void {
    if (this.#before !== '') this.#unused += 1;
    this.#before = '';
    const text = this.#text;
    if (this.#unused > MOST_UNUSED) return;
    if (this.#outputs !== 1 || this.#others !== 0 || this.#channel === 'audio') return;
    if (text === '' || data.includes('\\')) return;
    const quoted = `"${text}"`;
    const at = data.indexOf(quoted);
    if (at < 0 || data.indexOf(quoted, at + 1) >= 0) return;
    this.#before = data.slice(0, at + 1);
    this.#behind = data.slice(at + 1 + text.length);
  }

  event(): void {
    this.#outputs = 0;
    this.#others = 0;
    this.#sink.event();
  }

  output(choice: number, channel: Channel, text: string): void {
    this.#outputs += 1;
    this.#choice = choice;
    this.#channel = channel;
    this.#text = text;
    this.#sink.output(choice, channel, text);
  }

  usage(snapshot: UsageSnapshot, final: boolean, origin?: CountOrigin): void {
    this.#others += 1;
    this.#sink.usage(snapshot, final, origin);
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.#others += 1;
    this.#sink.choiceTokens(choice, outputTokens);
  }

  choiceEnded(choice: number, reason: string): void {
    this.#others += 1;
    this.#sink.choiceEnded(choice, reason);
  }

  model(name: string): void {
    // Told once in an answer, and kept by whoever listens: no reason to parse the next.
    this.#sink.model(name);
  }

  failed(): void {
    this.#others += 1;
    this.#sink.failed();
  }

  timings(timings: ServerTimings): void {
    this.#others += 1;
    this.#sink.timings(timings);
  }

  degraded(reason: DegradeReason): void {
    this.#others += 1;
    this.#sink.degraded(reason);
  }
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}
