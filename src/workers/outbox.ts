import type { Clock } from '../clock.ts';
import type { Told } from './protocol.ts';

/** How soon what was told must be on its way: with the next beat, in a moment, or with the end of this turn of the loop. */
export type Haste = 'beat' | 'soon' | 'now';

/** Something that adds up what happens often, and is asked for it when the outbox is emptied. */
export interface Gathering {
  gathered(): Told | null;
}

/** Of so many beats each running request tells once what its record would say: four beats are a second. */
const BEATS_PER_REPORT = 4;

/** A running request that can tell what its record would say by now; null when nothing is new since it last did. */
export interface Reporting {
  report(): Told | null;
}

/**
 * What a worker has to tell, in the order in which it happened. Output, which comes fifty times a second
 * and stream, is added up until the next beat; what changes a state goes within a moment.
 */
export class Outbox {
  readonly clock: Clock;
  readonly #onHaste: (haste: Exclude<Haste, 'beat'>) => void;
  #told: Told[] = [];
  readonly #gathering = new Set<Gathering>();
  readonly #running = new Map<number, Reporting>();
  #requests = 0;
  #beats = 0;
  /** Begun since the last beat. */
  #fresh: number[] = [];

  constructor(clock: Clock, onHaste: (haste: Exclude<Haste, 'beat'>) => void = () => {}) {
    this.clock = clock;
    this.#onHaste = onHaste;
  }

  push(told: Told, haste: Haste = 'soon'): void {
    this.#told.push(told);
    if (haste !== 'beat') this.#onHaste(haste);
  }

  gather(from: Gathering): void {
    this.#gathering.add(from);
  }

  /** What was gathered comes before what is told next of the same request. */
  collect(from: Gathering): void {
    if (!this.#gathering.delete(from)) return;
    const told = from.gathered();
    if (told !== null) this.#told.push(told);
  }

  /** Numbers a new request. */
  began(request: Reporting): number {
    this.#requests += 1;
    this.#running.set(this.#requests, request);
    this.#fresh.push(this.#requests);
    return this.#requests;
  }

  ended(request: number): void {
    this.#running.delete(request);
  }

  /** Everything there is to tell, and an empty outbox. */
  take(): Told[] {
    for (const from of this.#gathering) {
      const told = from.gathered();
      if (told !== null) this.#told.push(told);
    }
    this.#gathering.clear();
    return this.#takeTold();
  }

  /** What cannot wait. */
  takeUrgent(): Told[] {
    return this.#takeTold();
  }

  /** The same as `take`, and with it what records would say: of new requests, and of the others in turn. */
  beat(): Told[] {
    this.#beats = (this.#beats + 1) % BEATS_PER_REPORT;
    const told = this.take();
    const reports = this.#reports();
    this.#fresh = [];
    return reports.length === 0 ? told : [...told, ...reports];
  }

  #reports(): Told[] {
    const reports: Told[] = [];
    const add = (request: number) => {
      const report = this.#running.get(request)?.report() ?? null;
      if (report !== null) reports.push(report);
    };
    const fresh = new Set(this.#fresh);
    for (const request of fresh) add(request);
    for (const request of this.#running.keys()) {
      if (request % BEATS_PER_REPORT === this.#beats && !fresh.has(request)) add(request);
    }
    return reports;
  }

  #takeTold(): Told[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }
}
