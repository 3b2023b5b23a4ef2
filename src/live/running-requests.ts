import type { AccountNow } from '../ledger/account.ts';
import { cutText } from '../meter/cut-text.ts';
import type { RequestOpening } from '../meter/opening.ts';
import type { RequestSnapshot } from './request-snapshot.ts';
import { RunningSpeed } from './running-speed.ts';
import { rounded } from './spread.ts';

/** As many as a page can show, and few enough to be sent every second. */
const MOST_SHOWN = 200;
/** As in records (CONTRACT §8): a body may ask for a model with a name of a megabyte. */
const LONGEST_NAME = 256;

/** What a running request is asked when somebody looks. */
export interface Watched {
  readonly now: AccountNow;
  readonly user: string | null;
}

/** What all generations in flight are like at one moment. */
export interface RunningSnapshot {
  requests: RequestSnapshot[];
  speed: { p10: number; p50: number } | null;
  /** The share of their output tokens that is an estimate; null where there is no output. */
  estimated: number | null;
}

interface Entry {
  readonly opening: RequestOpening;
  readonly watched: Watched;
  speed: RunningSpeed | null;
}

/** An entry as it was found at one moment. */
interface Seen {
  entry: Entry;
  now: AccountNow;
  speed: number | null;
}

/**
 * The requests under way. Nothing is written down while they run: whoever looks asks each of them, and pays for it;
 * ten thousand take some milliseconds.
 */
export class RunningRequests {
  /** In the order in which they began. */
  readonly #entries = new Map<string, Entry>();

  began(opening: RequestOpening, watched: Watched): void {
    if (opening.generation) this.#entries.set(opening.id, { opening, watched, speed: null });
  }

  ended(id: string): void {
    this.#entries.delete(id);
  }

  snapshot(nowMs: number): RunningSnapshot {
    const moving: (Seen & { speed: number })[] = [];
    const waiting: Seen[] = [];
    let tokens = 0;
    let estimated = 0;
    for (const entry of this.#entries.values()) {
      const { now } = entry.watched;
      if (now.phase === null) continue;
      const speed = speedOf(entry, now, nowMs);
      if (speed !== null) moving.push({ entry, now, speed });
      else if (waiting.length < MOST_SHOWN) waiting.push({ entry, now, speed });
      tokens += now.tokens;
      if (!now.isCounted) estimated += now.tokens;
    }
    const speeds = Float64Array.from(moving, ({ speed }) => speed).sort();
    const shown = Math.max(MOST_SHOWN / 2, MOST_SHOWN - waiting.length);
    const slowest = slowestOf(moving, speeds, shown);
    return {
      requests: [...slowest, ...waiting.slice(0, MOST_SHOWN - slowest.length)].map((seen) => told(seen, nowMs)),
      speed: lowAndMedian(speeds),
      estimated: tokens > 0 ? estimated / tokens : null,
    };
  }
}

function speedOf(entry: Entry, { phase, phaseSinceMs, tokens }: AccountNow, nowMs: number): number | null {
  // Where nobody counts, nobody knows how fast it is.
  if (phase !== 'decode' || tokens === 0) return null;
  entry.speed ??= new RunningSpeed(phaseSinceMs);
  return entry.speed.at(nowMs, tokens);
}

/** Only those that are shown are put in order one by one. `speeds` are those of all, rising. */
function slowestOf<Of extends { speed: number }>(moving: readonly Of[], speeds: Float64Array, count: number): Of[] {
  const fastest = speeds[Math.min(count, speeds.length) - 1] ?? 0;
  const slow = moving.filter(({ speed }) => speed <= fastest);
  return slow.sort((one, other) => one.speed - other.speed).slice(0, count);
}

function lowAndMedian(speeds: Float64Array): RunningSnapshot['speed'] {
  const at = (q: number) => speeds[Math.max(1, Math.ceil(q * speeds.length)) - 1];
  const [p10, p50] = [at(0.1), at(0.5)];
  return p10 === undefined || p50 === undefined ? null : { p10: rounded(p10), p50: rounded(p50) };
}

function told({ entry: { opening, watched }, now, speed }: Seen, nowMs: number): RequestSnapshot {
  const { phase } = now;
  return {
    id: opening.id,
    user: watched.user,
    model: now.model === null ? null : cutText(now.model, LONGEST_NAME),
    upstream: opening.upstream,
    workload: opening.workload,
    phase: phase ?? 'unstreamed',
    tokens: tokensOf(now),
    is_estimated: !now.isCounted && now.tokens > 0,
    speed: speed === null ? null : rounded(speed),
    age_ms: Math.max(0, Math.round(nowMs - opening.t0Ms)),
    decode_ms: phase === 'decode' ? Math.max(0, Math.round(nowMs - now.phaseSinceMs)) : null,
  };
}

function tokensOf({ phase, tokens }: AccountNow): number | null {
  if (phase === 'prefill') return 0;
  return phase === 'decode' && tokens > 0 ? Math.round(tokens) : null;
}
