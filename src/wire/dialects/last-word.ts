import type {
  AlikeEvent,
  Channel,
  CountOrigin,
  DegradeReason,
  FactSink,
  ServerTimings,
  UsageSnapshot,
} from '../facts.ts';

/**
 * Hands on every fact but the vendor's final usage, which waits: Bedrock counts behind every vendor
 * itself, and its word is the last one. It has been seen below Claude's own (97 against 133 output
 * tokens), so taking the greater of both would not give it.
 */
export class LastWord implements FactSink {
  readonly #sink: FactSink;
  #waiting: UsageSnapshot | null = null;

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  /**
   * Bedrock's own count. What it does not say remains the vendor's, and so does the input where only the
   * vendor tells what came from the cache: Bedrock's leaves that out.
   */
  say(own: UsageSnapshot): void {
    const vendors = this.#waiting;
    const word = { ...vendors, ...own };
    const leavesCacheOut = own.cachedInputTokens === undefined && (vendors?.cachedInputTokens ?? 0) > 0;
    if (leavesCacheOut && vendors?.inputTokens !== undefined) word.inputTokens = vendors.inputTokens;
    this.#sink.usage(word, true);
    this.#waiting = null;
  }

  /** The answer is over: the vendor's word stands if nothing replaced it. */
  end(): void {
    if (this.#waiting !== null) this.#sink.usage(this.#waiting, true);
    this.#waiting = null;
  }

  usage(snapshot: UsageSnapshot, final: boolean, origin?: CountOrigin): void {
    if (final && origin === undefined) this.#waiting = { ...this.#waiting, ...snapshot };
    else this.#sink.usage(snapshot, final, origin);
  }

  event(): void {
    this.#sink.event();
  }

  output(choice: number, channel: Channel, text: string): void {
    this.#sink.output(choice, channel, text);
  }

  alike(event: AlikeEvent): void {
    this.#sink.alike(event);
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.#sink.choiceTokens(choice, outputTokens);
  }

  choiceEnded(choice: number, reason: string): void {
    this.#sink.choiceEnded(choice, reason);
  }

  model(name: string): void {
    this.#sink.model(name);
  }

  failed(): void {
    this.#sink.failed();
  }

  timings(timings: ServerTimings): void {
    this.#sink.timings(timings);
  }

  degraded(reason: DegradeReason): void {
    this.#sink.degraded(reason);
  }
}
