import type { RecordedMetrics, Series, Steps } from './prometheus-api.ts';
import { middle, SAMPLES_A_STEP } from './scraping.ts';

/** Less of its usual samples, and a rate over the step is too low: Prometheus divides by all of it. */
const WHOLE_SHARE = 0.9;
/** A Pitot that was not seen for longer was not running; one that was seen again sooner ran, and was not scraped. */
const LONGEST_GAP_SECONDS = 3_600;

/** Samples of one Pitot by step (Unix seconds). */
type Sightings = Map<number, number>;

/** In which steps every Pitot of an upstream that ran was scraped from end to end: in others, sums over them are too small. */
export class WholeSteps {
  readonly #stepSeconds: number;
  /** By upstream and Pitot. */
  readonly #sightings = new Map<string, Map<string, Sightings>>();
  readonly #broken = new Map<string, Set<number>>();

  constructor(stepSeconds: number) {
    this.#stepSeconds = stepSeconds;
  }

  async ask(api: RecordedMetrics, steps: Steps): Promise<void> {
    this.#broken.clear();
    // The engine is learned while Pitot runs: no other Pitot for that.
    const samples = `sum without (engine) (count_over_time(pitot_upstream_info[${steps.stepSeconds}s]))`;
    for (const { labels, points } of await api.range(samples, steps)) this.#seen(labels, points);
  }

  /** Once everything was asked. */
  has(upstream: string, atSeconds: number): boolean {
    let broken = this.#broken.get(upstream);
    if (broken === undefined) {
      const sightings = [...(this.#sightings.get(upstream)?.values() ?? [])];
      broken = new Set(sightings.flatMap((one) => this.#brokenOf(one)));
      this.#broken.set(upstream, broken);
    }
    return !broken.has(atSeconds);
  }

  #seen(labels: Series['labels'], points: Series['points']): void {
    const upstream = labels['upstream'] ?? 'unknown';
    const pitots = this.#sightings.get(upstream) ?? new Map<string, Sightings>();
    this.#sightings.set(upstream, pitots);
    const pitot = JSON.stringify(Object.entries(labels).sort());
    const sightings = pitots.get(pitot) ?? new Map<number, number>();
    pitots.set(pitot, sightings);
    for (const { atSeconds, value } of points) sightings.set(atSeconds, value);
  }

  #brokenOf(sightings: Sightings): number[] {
    const usual = middle([...sightings.values()]);
    const times = [...sightings.keys()].sort((a, b) => a - b);
    // An edge that falls on a sample makes one more or less of them.
    const least = Math.max(Math.min(SAMPLES_A_STEP, usual), Math.floor(WHOLE_SHARE * usual));
    return [
      ...times.filter((atSeconds) => (sightings.get(atSeconds) ?? 0) < least),
      ...times.flatMap((atSeconds, index) => this.#between(times[index - 1] ?? atSeconds, atSeconds)),
    ];
  }

  /** The steps between two in which it was seen, if they are few. */
  #between(before: number, after: number): number[] {
    if (after - before > LONGEST_GAP_SECONDS) return [];
    const steps = Math.round((after - before) / this.#stepSeconds) - 1;
    return Array.from({ length: Math.max(0, steps) }, (_, step) => before + (step + 1) * this.#stepSeconds);
  }
}
