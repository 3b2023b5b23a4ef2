import type { Snapshot } from '../live/snapshot-type.ts';

/** Seconds that the curves look back. */
const HISTORY_SECONDS = 60;

/** Everything one frame of the demo shows. */
export interface DemoView {
  snapshot: Snapshot;
  history: { throughput: readonly (number | null)[]; userSpeed: readonly (number | null)[] };
  /** Requests the load wants in flight now. */
  wantedConcurrency: number;
  /** Output tokens per second by the engine's own count over the last minute; null before it is known. */
  engineTokensPerSecond: number | null;
  elapsedSeconds: number;
  /** Null: until it is stopped. */
  forSeconds: number | null;
  /** What the throughput depends on: the engine and the lengths of the load. */
  conditions: readonly string[];
  urls: readonly { label: string; url: string }[];
}

/** The last minute of the two figures, one value a second; null before the start and where nothing was measured. */
export class MinuteHistory {
  readonly #throughput = new Array<number | null>(HISTORY_SECONDS).fill(null);
  readonly #userSpeed = new Array<number | null>(HISTORY_SECONDS).fill(null);

  add(snapshot: Snapshot): void {
    this.#throughput.shift();
    this.#throughput.push(snapshot.throughput.tokens_per_second['1s']);
    this.#userSpeed.shift();
    this.#userSpeed.push(snapshot.user_speed?.p50 ?? null);
  }

  values(): DemoView['history'] {
    return { throughput: this.#throughput, userSpeed: this.#userSpeed };
  }
}

/** The rate of the engine's own token counter over the last minute, from readings taken at about one a second. */
export class EngineRate {
  readonly #readings: { atMs: number; tokens: number }[] = [];

  add(atMs: number, tokens: number): void {
    this.#readings.push({ atMs, tokens });
    if (this.#readings.length > HISTORY_SECONDS + 1) this.#readings.shift();
  }

  /** Null until the readings span a minute: the gateway's figure beside it is over a whole minute. */
  tokensPerSecond(): number | null {
    const first = this.#readings[0];
    const last = this.#readings.at(-1);
    if (first === undefined || last === undefined || this.#readings.length <= HISTORY_SECONDS) return null;
    return ((last.tokens - first.tokens) / (last.atMs - first.atMs)) * 1_000;
  }
}
