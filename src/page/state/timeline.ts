import type { PointSeries, Points } from '../../live/stream-type.ts';

export type SeriesName = keyof PointSeries;
export type Column = (number | null)[];

/** How far the charts look back. */
export const LOOK_BACK_MS = 15 * 60_000;
/** A longer silence is shown as a gap of one unknown point; filling it point by point would say no more. */
const MAX_FILL = 1_000;

const NAMES: readonly SeriesName[] = [
  'throughput',
  'throughput_per_gpu',
  'prefill',
  'decode',
  'unstreamed',
  'user_speed_p10',
  'user_speed_p50',
  'ttft_p50_ms',
  'ttft_p95_ms',
  'good_requests',
  'good_tokens',
];

/** The last fifteen minutes as columns, which is how charts want them: oldest first, bounded. */
export class Timeline {
  /** The end of each point's interval, in seconds since the Unix epoch. */
  readonly times: number[] = [];
  readonly #columns = new Map<SeriesName, Column>(NAMES.map((name) => [name, []]));
  #stepMs = 1_000;

  get stepMs(): number {
    return this.#stepMs;
  }

  column(name: SeriesName): Column {
    return this.#columns.get(name) ?? [];
  }

  /** The newest value that is known, no older than `withinMs`; null where there is none. */
  latest(name: SeriesName, withinMs = this.#stepMs * 3): number | null {
    const column = this.column(name);
    const from = Math.max(0, column.length - Math.ceil(withinMs / this.#stepMs));
    for (let index = column.length - 1; index >= from; index -= 1) {
      const value = column[index];
      if (value !== null && value !== undefined) return value;
    }
    return null;
  }

  restart(points: Points): void {
    this.#drop(this.times.length);
    this.append(points);
  }

  /** What is told twice counts once, and what was missed is unknown. */
  append(points: Points): void {
    const { start_ms: startMs, step_ms: stepMs, count, series } = points;
    if (stepMs !== this.#stepMs && this.times.length > 0) this.#drop(this.times.length);
    this.#stepMs = stepMs;
    for (let index = 0; index < count; index += 1) {
      const endMs = startMs + (index + 1) * stepMs;
      if (!this.#reach(endMs)) continue;
      this.times.push(endMs / 1_000);
      for (const name of NAMES) this.column(name).push(series[name]?.[index] ?? null);
    }
    this.#forget();
  }

  /** False for a point that is there already. */
  #reach(endMs: number): boolean {
    const newest = this.times.at(-1);
    if (newest === undefined) return true;
    const steps = Math.round((endMs - newest * 1_000) / this.#stepMs);
    if (steps <= 0) return false;
    const missing = steps - 1 > MAX_FILL ? 1 : steps - 1;
    for (let step = 1; step <= missing; step += 1) {
      this.times.push(newest + (step * this.#stepMs) / 1_000);
      for (const name of NAMES) this.column(name).push(null);
    }
    return true;
  }

  #forget(): void {
    const newest = this.times.at(-1);
    if (newest === undefined) return;
    const oldest = newest - LOOK_BACK_MS / 1_000;
    const kept = this.times.findIndex((time) => time > oldest);
    if (kept > 0) this.#drop(kept);
  }

  #drop(count: number): void {
    this.times.splice(0, count);
    for (const name of NAMES) this.column(name).splice(0, count);
  }
}
