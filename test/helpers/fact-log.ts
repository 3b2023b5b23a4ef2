import { UsageMerge } from '../../src/meter/usage.ts';
import { snapshotOf } from '../../src/wire/counts.ts';
import type {
  AlikeEvent,
  AnswerHead,
  Channel,
  CountOrigin,
  DegradeReason,
  Dialect,
  FactSink,
  ServerTimings,
  UsageSnapshot,
} from '../../src/wire/facts.ts';

/** One fact, as a reader told it. */
export type Fact =
  | { kind: 'event' }
  | { kind: 'output'; choice: number; channel: Channel; text: string }
  | { kind: 'usage'; snapshot: UsageSnapshot; final: boolean; origin?: CountOrigin }
  | { kind: 'choiceTokens'; choice: number; outputTokens: number }
  | { kind: 'choiceEnded'; choice: number; reason: string }
  | { kind: 'model'; name: string }
  | { kind: 'failed' }
  | { kind: 'timings'; timings: ServerTimings }
  | { kind: 'degraded'; reason: DegradeReason };

/** Writes down every fact in its order, and answers the questions tests ask of them. */
export class FactLog implements FactSink {
  readonly facts: Fact[] = [];

  event(): void {
    this.facts.push({ kind: 'event' });
  }
  output(choice: number, channel: Channel, text: string): void {
    this.facts.push({ kind: 'output', choice, channel, text });
  }
  alike(event: AlikeEvent): void {
    this.event();
    this.output(event.choice, event.channel, event.text());
  }
  usage(snapshot: UsageSnapshot, final: boolean, origin?: CountOrigin): void {
    const of = origin === undefined ? {} : { origin };
    this.facts.push({ kind: 'usage', snapshot: { ...snapshot }, final, ...of });
  }
  choiceTokens(choice: number, outputTokens: number): void {
    this.facts.push({ kind: 'choiceTokens', choice, outputTokens });
  }
  choiceEnded(choice: number, reason: string): void {
    this.facts.push({ kind: 'choiceEnded', choice, reason });
  }
  model(name: string): void {
    this.facts.push({ kind: 'model', name });
  }
  failed(): void {
    this.facts.push({ kind: 'failed' });
  }
  timings(timings: ServerTimings): void {
    this.facts.push({ kind: 'timings', timings });
  }
  degraded(reason: DegradeReason): void {
    this.facts.push({ kind: 'degraded', reason });
  }

  of<K extends Fact['kind']>(kind: K): Extract<Fact, { kind: K }>[] {
    return this.facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind);
  }

  /** What was generated, joined; of one channel or choice where it is given. */
  text(channel?: Channel, choice?: number): string {
    return this.of('output')
      .filter((fact) => (channel ?? fact.channel) === fact.channel && (choice ?? fact.choice) === fact.choice)
      .map((fact) => fact.text)
      .join('');
  }

  /** The snapshots as the meter merges them, with nothing that was not said. */
  get merged(): UsageSnapshot {
    const merge = new UsageMerge();
    for (const { snapshot, final, origin } of this.of('usage')) merge.add(snapshot, final, origin);
    const counts = {
      inputTokens: merge.inputTokens ?? undefined,
      cachedInputTokens: merge.cachedInputTokens ?? undefined,
      cacheWriteInputTokens: merge.cacheWriteInputTokens ?? undefined,
      outputTokens: merge.outputTokens ?? undefined,
      reasoningTokens: merge.reasoningTokens ?? undefined,
    };
    return snapshotOf(counts);
  }

  /** Some usage was the upstream's last word. */
  get hasFinalUsage(): boolean {
    return this.of('usage').some((fact) => fact.final && fact.origin !== 'lists');
  }

  get degradations(): DegradeReason[] {
    return this.of('degraded').map((fact) => fact.reason);
  }
}

/** An answer that a dialect has read to its end. */
export interface ReadAnswer {
  log: FactLog;
  complete: boolean;
  streamed: boolean;
}

/** A head as the gateway hands it on. `headers`: others than the media type, by their names in lower case. */
export const headOf = (mediaType: string, status = 200, headers: Record<string, string> = {}): AnswerHead => ({
  status,
  mediaType,
  header: (name) => headers[name] ?? null,
});

export const EVENT_STREAM: AnswerHead = headOf('text/event-stream');
export const JSON_BODY: AnswerHead = headOf('application/json');

/** Reads the pieces as one answer. `eventBytes` as in the default configuration. */
export function readAnswer(
  dialect: Dialect,
  pieces: readonly Uint8Array[],
  options: { head?: AnswerHead; whole?: boolean; eventBytes?: number } = {},
): ReadAnswer {
  const log = new FactLog();
  const opened = dialect.open(options.head ?? EVENT_STREAM, log, options.eventBytes ?? 4 * 1024 * 1024);
  if (opened === null) return { log, complete: false, streamed: false };
  for (const piece of pieces) opened.reader.push(piece);
  opened.reader.end(options.whole ?? true);
  return { log, complete: opened.reader.complete, streamed: opened.streamed };
}

/** A sink that keeps nothing: for what a reader itself holds. */
export const SILENT: FactSink = {
  event: () => {},
  output: () => {},
  alike: () => {},
  usage: () => {},
  choiceTokens: () => {},
  choiceEnded: () => {},
  model: () => {},
  failed: () => {},
  timings: () => {},
  degraded: () => {},
};
