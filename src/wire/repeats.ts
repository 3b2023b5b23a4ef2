import type {
  AlikeEvent,
  Channel,
  CountOrigin,
  DegradeReason,
  FactSink,
  ServerTimings,
  UsageSnapshot,
} from './facts.ts';
import { type Stretch, stretchOf } from './stretch.ts';

/** A stream whose events are never alike (each with a stamp, say) is not compared any further. */
const MOST_UNUSED = 8;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const FIRST_NON_ASCII = 0x80;
const NOTHING = stretchOf(Buffer.alloc(0));

/**
 * Most events of a stream differ from the one before in one string only: the text. Once a read was
 * parsed and held one event that told nothing but one output, the next is compared, byte by byte,
 * with what stood around that text; if it is the same and the new text needs no escapes, its facts
 * are known without framing, decoding or parsing it.
 *
 * Why that is sound: without a backslash in the read, a JSON string stands in it as itself. The text
 * in its quotes must stand there once, so it is that value and no key; and what replaces it holds no
 * quote, backslash or control character, so neither the lines nor the structure around it can change.
 *
 * It stands between a reader and its sink, to see what an event told. Only for readers that keep
 * nothing between two such events.
 */
export class Repeats implements FactSink, AlikeEvent {
  choice = 0;
  channel: Channel = 'content';
  read = NOTHING.bytes;
  from = 0;
  to = 0;
  isAscii = true;
  readonly #sink: FactSink;
  /** An event beyond this is given up, however alike it is. */
  readonly #eventBytes: number;
  #before = NOTHING;
  #behind = NOTHING;
  /** What the read that is being parsed told: events, outputs, and anything else. */
  #events = 0;
  #outputs = 0;
  #others = 0;
  #text = '';
  /** What was learned and never used, in a row. */
  #unused = 0;

  constructor(sink: FactSink, eventBytes: number) {
    this.#sink = sink;
    this.#eventBytes = eventBytes;
  }

  /**
   * Tells the facts of the events at the start of a read that are like the one learned last. Returns
   * how many bytes they have: the rest must be parsed. The read must begin with an event.
   */
  tell(read: Stretch): number {
    this.#events = 0;
    this.#outputs = 0;
    this.#others = 0;
    if (this.#before.to === 0) return 0;
    let at = read.from;
    while (at < read.to) {
      const end = this.#tellOne(read, at);
      if (end < 0) break;
      at = end;
    }
    if (at > read.from) this.#unused = 0;
    this.read = NOTHING.bytes;
    return at - read.from;
  }

  /** Of the event that is being told. */
  text(): string {
    return this.read.toString(this.isAscii ? 'latin1' : 'utf8', this.from, this.to);
  }

  /** The read was parsed, and ended with an event: remembers what stands around its text, if it told nothing else. */
  learn(read: Buffer): void {
    if (this.#events === 0 || this.#unused > MOST_UNUSED) return;
    if (this.#before.to > 0) this.#unused += 1;
    this.#before = NOTHING;
    if (this.#events !== 1 || this.#outputs !== 1 || this.#others !== 0) return;
    if (this.channel === 'audio' || this.#text === '' || read.includes(BACKSLASH)) return;
    const quoted = Buffer.from(`"${this.#text}"`);
    const at = read.indexOf(quoted);
    if (at < 0 || read.indexOf(quoted, at + 1) >= 0) return;
    // Copies: what is kept of a read must not keep alive what else was read with it.
    this.#before = stretchOf(Buffer.from(read.subarray(0, at + 1)));
    this.#behind = stretchOf(Buffer.from(read.subarray(at + quoted.length - 1)));
  }

  /** The place behind the event at `from`; -1 when it is not like the learned one. */
  #tellOne(read: Stretch, from: number): number {
    const { bytes } = read;
    const start = from + this.#before.to;
    if (!holds(read, from, this.#before)) return -1;
    let to = start;
    let isAscii = true;
    for (; bytes[to] !== QUOTE; to += 1) {
      const byte = bytes[to] ?? 0;
      if (to >= read.to || byte < FIRST_PRINTABLE || byte === BACKSLASH) return -1;
      if (byte >= FIRST_NON_ASCII) isAscii = false;
    }
    const end = to + this.#behind.to;
    if (to === start || end - from > this.#eventBytes || !holds(read, to, this.#behind)) return -1;
    this.read = bytes;
    this.from = start;
    this.to = to;
    this.isAscii = isAscii;
    this.#sink.alike(this);
    return end;
  }

  event(): void {
    this.#events += 1;
    this.#sink.event();
  }

  output(choice: number, channel: Channel, text: string): void {
    this.#outputs += 1;
    this.choice = choice;
    this.channel = channel;
    this.#text = text;
    this.#sink.output(choice, channel, text);
  }

  alike(event: AlikeEvent): void {
    this.event();
    this.output(event.choice, event.channel, event.text());
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

/** The same bytes stand there. A few hundred are compared here in the time that a call into native code takes. */
function holds(read: Stretch, from: number, { bytes, view, to: length }: Stretch): boolean {
  if (from + length > read.to) return false;
  let at = 0;
  for (; at + 4 <= length; at += 4) if (read.view.getInt32(from + at, true) !== view.getInt32(at, true)) return false;
  for (; at < length; at += 1) if (read.bytes[from + at] !== bytes[at]) return false;
  return true;
}
