import { laterTimings } from '../wire/durations.ts';
import type {
  AnswerHead,
  AnswerReader,
  Api,
  Channel,
  DegradeReason,
  Dialect,
  FactSink,
  OpenedAnswer,
  ServerTimings,
  UsageSnapshot,
} from '../wire/facts.ts';
import { codePoints } from './code-points.ts';
import { KeptText } from './kept-text.ts';
import { OutputTiming } from './timing.ts';
import { UsageMerge } from './usage.ts';

/** What the life of a request wants to know while its answer is read. */
export interface AnswerListener {
  modelNamed(name: string): void;
  /** One output event arrived; the first of a stream is its first token. */
  tokensArrived(characters: number, atMs: number): void;
  degraded(reason: DegradeReason): void;
}

/**
 * Reads one answer and keeps what it says: when output came, how much, and the upstream's own
 * counts. An event is one arrival, whatever it holds; it counts when it holds generated payload, or
 * when the running output count in it has grown (CONTRACT §1). Never throws.
 */
export class AnswerMeter implements FactSink {
  readonly timing = new OutputTiming();
  readonly usageSeen = new UsageMerge();
  /** The dialect understood the answer's shape. */
  read = false;
  hasFailed = false;
  hasReasoning = false;
  finishReason: string | null = null;
  serverTimings: ServerTimings | null = null;
  /** What a local count would need; null unless it was asked for. */
  kept: KeptText | null = null;
  readonly #listener: AnswerListener;
  #opened: OpenedAnswer | null = null;
  #reader: AnswerReader | null = null;
  #atMs = 0;
  #eventHasOutput = false;
  #eventHasAnswer = false;
  #eventGrew = false;
  #eventHasLastWord = false;
  #eventCharacters = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  open(dialect: Dialect, head: AnswerHead, eventBytes: number): void {
    const opened = dialect.open(head, this, eventBytes);
    if (opened === null) return;
    this.#opened = opened;
    this.#reader = opened.reader;
    this.read = true;
  }

  keepText(): void {
    this.kept = new KeptText();
  }

  /** The answer comes in events. The head's word at first, the first bytes' from then on. */
  get streamed(): boolean {
    return this.#opened?.streamed ?? false;
  }

  /** Whose answer it turned out to be, where several APIs share a path. */
  get api(): Api | null {
    return this.#opened?.api ?? null;
  }

  /** The dialect's terminal marker was seen. */
  get complete(): boolean {
    return this.#reader?.complete ?? false;
  }

  push(bytes: Uint8Array, atMs: number): void {
    if (this.#reader === null) return;
    this.#atMs = atMs;
    try {
      this.#reader.push(bytes);
      this.#closeEvent();
    } catch {
      this.#giveUp();
    }
  }

  /** The body is over. What an unfinished event holds arrived with the last bytes, not now. */
  end(whole: boolean): void {
    if (this.#reader === null) return;
    try {
      this.#reader.end(whole);
      this.#closeEvent();
    } catch {
      this.#giveUp();
    }
  }

  event(): void {
    this.#closeEvent();
  }

  output(choice: number, channel: Channel, text: string): void {
    // Encoded audio is payload, but its characters say nothing about tokens or reading speed.
    const characters = channel === 'audio' ? 0 : codePoints(text);
    this.timing.payload(choice, characters, this.#atMs);
    this.kept?.add(choice, channel, text);
    this.#eventHasOutput = true;
    this.#eventCharacters += characters;
    if (channel === 'reasoning') this.hasReasoning = true;
    else if (channel !== 'summary') this.#eventHasAnswer = true;
  }

  usage(snapshot: UsageSnapshot, final: boolean): void {
    const grown = this.usageSeen.add(snapshot, final);
    if (grown && !final) this.#eventGrew = true;
    if (final) this.#eventHasLastWord = true;
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.usageSeen.choiceTokens(choice, outputTokens);
  }

  choiceEnded(choice: number, reason: string): void {
    if (choice === 0 || this.finishReason === null) this.finishReason = reason;
  }

  model(name: string): void {
    this.#listener.modelNamed(name);
  }

  failed(): void {
    this.hasFailed = true;
  }

  timings(timings: ServerTimings): void {
    this.serverTimings = laterTimings(this.serverTimings, timings);
  }

  degraded(reason: DegradeReason): void {
    this.#listener.degraded(reason);
  }

  #closeEvent(): void {
    const hasLastWord = this.#eventHasLastWord;
    this.#eventHasLastWord = false;
    if (!this.#eventHasOutput && !this.#eventGrew) return;
    // A last word with output behind it was none.
    if (this.#eventHasOutput && !hasLastWord) this.usageSeen.final = false;
    // Output without growth: from here on the running count lags behind what was seen.
    if (!this.#eventGrew) this.usageSeen.coversAll = false;
    this.timing.arrived(this.#atMs);
    if (this.#eventHasAnswer) this.timing.answered(this.#atMs);
    const characters = this.#eventCharacters;
    this.#eventHasOutput = false;
    this.#eventHasAnswer = false;
    this.#eventGrew = false;
    this.#eventCharacters = 0;
    this.#listener.tokensArrived(characters, this.#atMs);
  }

  /** The rest of the answer cannot be read: nothing more is known of it than its bytes. */
  abandon(): void {
    this.#reader = null;
    this.read = false;
  }

  /** A fault of our own costs this request its meter, never its relay. */
  #giveUp(): void {
    this.abandon();
    this.#listener.degraded('meter_error');
  }
}
