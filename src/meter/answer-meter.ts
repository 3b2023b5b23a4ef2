import { laterTimings } from '../wire/durations.ts';
import type {
  AlikeEvent,
  AnswerHead,
  AnswerReader,
  Api,
  AskedFor,
  Channel,
  CountOrigin,
  DegradeReason,
  Dialect,
  FactSink,
  OpenedAnswer,
  ServerTimings,
  UsageSnapshot,
} from '../wire/facts.ts';
import type { RequestFacts } from '../wire/request-facts.ts';
import { type Stretch, stretchOf } from '../wire/stretch.ts';
import { codePoints } from './code-points.ts';
import { EchoedPrompt } from './echoed-prompt.ts';
import type { KeptText } from './kept-text.ts';
import { OutputTiming } from './timing.ts';
import { UsageMerge } from './usage.ts';

/** What is said by an event that holds output and nothing else. */
const ONLY_OUTPUT = { hasLastWord: false, endsChoice: false, isListed: false };

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
  /** What a local count would need; null where none may be needed. */
  kept: KeptText | null = null;
  readonly #listener: AnswerListener;
  #opened: OpenedAnswer | null = null;
  #reader: AnswerReader | null = null;
  #asked: AskedFor | null = null;
  #echo: EchoedPrompt | null = null;
  /** Bytes of it have come that could be read. */
  #hasBytes = false;
  /** The rest of it cannot be read. */
  #isBrokenOff = false;
  /** What was given up last may have held the terminal marker: nothing was generated after it. */
  #mayMissEnd = false;
  /** It ended cleanly in its HTTP framing. */
  #isWhole = false;
  #atMs = 0;
  #eventHasOutput = false;
  #eventHasAnswer = false;
  #eventGrew = false;
  #eventHasLastWord = false;
  #eventIsListed = false;
  #eventEndsChoice = false;
  #eventCharacters = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  open(dialect: Dialect, head: AnswerHead, eventBytes: number): void {
    const asked = this.#asked === null ? {} : { asked: this.#asked };
    const opened = dialect.open({ ...head, ...asked }, this, eventBytes);
    if (opened === null) return;
    this.#opened = opened;
    this.#reader = opened.reader;
    this.read = true;
  }

  /** What the request leads to expect: how many choices, and what of it comes back in the answer and is no output. */
  expect(facts: RequestFacts | null): void {
    if (facts === null) return;
    this.#asked = { choices: facts.choices ?? 1, prompts: facts.prompts ?? 1 };
    if (facts.echo !== null) this.#echo = new EchoedPrompt(facts.echo, this.#asked.choices);
  }

  /** The answer comes in events. The head's word at first, the first bytes' from then on. */
  get streamed(): boolean {
    return this.#opened?.streamed ?? false;
  }

  /** Whose answer it turned out to be, where several APIs share a path. */
  get api(): Api | null {
    return this.#opened?.api ?? null;
  }

  /**
   * The dialect's terminal marker was seen. Or what may have held it was too large to be read, and the answer ended
   * cleanly behind it: that does not make it a truncated one.
   */
  get complete(): boolean {
    return (this.#reader?.complete ?? false) || (this.#isWhole && this.#mayMissEnd);
  }

  push(bytes: Uint8Array, atMs: number): void {
    // Every chunk of an answer that nobody reads (`metering: off`) comes here, too: nothing is made for it.
    if (this.#reader !== null) this.take(stretchOf(bytes), atMs);
  }

  /** The same, of bytes that stand among others. */
  take(read: Stretch, atMs: number): void {
    if (this.#reader === null || this.#isBrokenOff) return;
    this.#atMs = atMs;
    this.#hasBytes = true;
    try {
      if (this.#reader.take === undefined) this.#reader.push(read.bytes.subarray(read.from, read.to));
      else this.#reader.take(read);
      this.#closeEvent();
    } catch {
      this.#giveUp();
    }
  }

  /** The body is over. What an unfinished event holds arrived with the last bytes, not now. */
  end(whole: boolean): void {
    if (this.#reader === null) return;
    this.#isWhole = whole;
    try {
      this.#reader.end(whole && !this.#isBrokenOff);
      this.#closeEvent();
    } catch {
      this.#giveUp();
    }
  }

  event(): void {
    this.#closeEvent();
  }

  alike(event: AlikeEvent): void {
    if (this.#echo !== null) {
      this.event();
      this.output(event.choice, event.channel, event.text());
      return;
    }
    const { choice, channel } = event;
    const characters = this.#keep(event);
    this.#mayMissEnd = false;
    if (channel === 'reasoning') this.hasReasoning = true;
    this.usageSeen.sawOutput(ONLY_OUTPUT);
    this.usageSeen.fallBehind();
    this.timing.payload(choice, characters, this.#atMs);
    this.timing.arrived(this.#atMs);
    if (channel !== 'reasoning' && channel !== 'summary') this.timing.answered(this.#atMs);
    this.#listener.tokensArrived(characters, this.#atMs);
  }

  /** Keeps its text where it may have to be counted; returns how many characters it has. */
  #keep(event: AlikeEvent): number {
    if (event.isAscii) {
      this.kept?.addAscii(event);
      return event.to - event.from;
    }
    const text = event.text();
    this.kept?.add(event.choice, event.channel, text);
    return codePoints(text);
  }

  output(choice: number, channel: Channel, sent: string): void {
    // Only text comes back, and unasked only in an answer of one piece.
    const echo = channel === 'content' ? this.#echo : null;
    const text = echo !== null && (echo.isAsked || !this.streamed) ? echo.rest(choice, sent) : sent;
    if (text !== '') this.#wrote(choice, channel, text);
  }

  #wrote(choice: number, channel: Channel, text: string): void {
    // Encoded audio is payload, but its characters say nothing about tokens or reading speed.
    const characters = channel === 'audio' ? 0 : codePoints(text);
    this.timing.payload(choice, characters, this.#atMs);
    this.kept?.add(choice, channel, text);
    this.#eventHasOutput = true;
    this.#mayMissEnd = false;
    this.#eventCharacters += characters;
    if (channel === 'reasoning') this.hasReasoning = true;
    else if (channel !== 'summary') this.#eventHasAnswer = true;
  }

  usage(snapshot: UsageSnapshot, final: boolean, origin: CountOrigin = 'request'): void {
    const { listed } = this.usageSeen;
    if (origin !== 'lists') this.#eventHasLastWord ||= final;
    // A prompt that was asked for comes with its tokens, in some servers' lists.
    else if (snapshot.outputTokens !== undefined && this.#echo?.isAsked) return;
    const grown = this.usageSeen.add(snapshot, final, origin);
    if (this.usageSeen.listed > listed) this.#eventIsListed = true;
    if (grown && !final) this.#eventGrew = true;
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.usageSeen.choiceTokens(choice, outputTokens);
  }

  choiceEnded(choice: number, reason: string): void {
    this.#eventEndsChoice = true;
    const held = this.#echo?.restAtEnd(choice) ?? '';
    if (held !== '') this.#wrote(choice, 'content', held);
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
    if (reason === 'event_too_large') this.#missed();
    this.#listener.degraded(reason);
  }

  #closeEvent(): void {
    if (this.#eventHasOutput) {
      this.usageSeen.sawOutput({
        hasLastWord: this.#eventHasLastWord,
        endsChoice: this.#eventEndsChoice,
        isListed: this.#eventIsListed,
      });
    }
    this.#eventHasLastWord = false;
    this.#eventIsListed = false;
    this.#eventEndsChoice = false;
    if (!this.#eventHasOutput && !this.#eventGrew) return;
    if (!this.#eventGrew) this.usageSeen.fallBehind();
    this.timing.arrived(this.#atMs);
    if (this.#eventHasAnswer) this.timing.answered(this.#atMs);
    const characters = this.#eventCharacters;
    this.#eventHasOutput = false;
    this.#eventHasAnswer = false;
    this.#eventGrew = false;
    this.#eventCharacters = 0;
    this.#listener.tokensArrived(characters, this.#atMs);
  }

  /**
   * The rest of the answer cannot be read. What was read stands, and with it whether the end was seen; where there was
   * nothing, no more is known of the answer than its bytes. `isBroken`: else it was too much, and may well be sound.
   */
  breakOff({ isBroken }: { isBroken: boolean }): void {
    if (!this.#hasBytes) this.#abandon();
    this.#isBrokenOff = true;
    if (!isBroken) this.#missed();
  }

  #missed(): void {
    this.#mayMissEnd = true;
    this.usageSeen.missedOutput();
  }

  #abandon(): void {
    this.#reader = null;
    this.read = false;
  }

  /** A fault of our own costs this request its meter, never its relay. */
  #giveUp(): void {
    this.#abandon();
    this.#listener.degraded('meter_error');
  }
}
