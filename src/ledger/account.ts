import type { Clock } from '../clock.ts';
import type { Judged, LiveAccount, SeriesLabels, Settlement } from '../meter/live-account.ts';
import type { Phase } from '../meter/record.ts';
import type { Api } from '../wire/facts.ts';
import type { PhaseMove } from './activity.ts';
import { OTHER } from './label-guard.ts';
import { LiveVerdict, type VerdictBook } from './live-verdict.ts';
import { type ModelNames, UNKNOWN_MODEL } from './model-names.ts';
import type { Series } from './series.ts';

/**
 * An estimate is counted less this share, or less one token if that is more: what is counted too early can only
 * be absorbed by later increments, so the live counter rather runs a little late (CONTRACT §6.5).
 */
const HELD_BACK = 0.005;

/** Where a request's label set W is looked up; `api` is noted as seen there. */
export interface SeriesPlace {
  upstream: string;
  model: string;
  workload: string;
  api: Api;
}

/** Output events of one request, added up. */
export interface Emission {
  characters: number;
  chunks: number;
  /** The upstream's own count where it sent one, and what was emitted since. */
  running: { tokens: number; since: { characters: number; chunks: number } } | null;
  /** When the last of them was relayed. */
  atMs: number;
}

/** What can be seen of a request while it runs. */
export interface AccountNow {
  /** Null: it is no generation, or it has ended. */
  phase: Phase | null;
  /** Since when it is in this phase, in monotonic milliseconds: a decode begins with the first token. */
  phaseSinceMs: number;
  /** Best estimate of all output so far; 0 also where nobody counts. */
  tokens: number;
  /** It is the upstream's own running count. */
  isCounted: boolean;
  /** As an answer confirmed it, which is a label, else as it was asked for; null where nobody named one. */
  model: string | null;
}

/** What an account needs of the ledger. */
export interface AccountBook extends VerdictBook {
  readonly clock: Clock;
  readonly names: ModelNames;
  seriesOf(place: SeriesPlace): Series;
  /** Generations in flight on an upstream, after adding `change` to them. */
  countGenerations(upstream: string, change: number): number;
  readonly onPhase: (move: PhaseMove) => void;
}

/** One request in the ledger: it moves the live counter while it runs, and settles at its end. */
export class Account implements LiveAccount {
  concurrencyAtStart: number | null = null;
  user: string | null = null;
  readonly #ledger: AccountBook;
  readonly #upstream: string;
  readonly #workload: string;
  readonly #api: Api;
  #series: Series;
  #requested: string | null = null;
  /** Until an answer confirms its model, named or not, nobody knows whose throughput a request is. */
  #isConfirmed = false;
  #asking: 'asking' | 'silent' = 'silent';
  #phase: Phase | null = null;
  #phaseSinceMs = 0;
  #beganMs = 0;
  /** Best estimate of all output so far. */
  #estimate = 0;
  #running = 0;
  /** All that was emitted so far. */
  readonly #emitted = { characters: 0, chunks: 0 };
  /** Whole tokens already counted live. */
  #counted = 0;
  #settled = false;
  readonly #verdict: LiveVerdict;

  constructor(ledger: AccountBook, place: { upstream: string; workload: string; api: Api }) {
    this.#ledger = ledger;
    this.#upstream = place.upstream;
    this.#workload = place.workload;
    this.#api = place.api;
    this.#series = ledger.seriesOf({ ...place, model: UNKNOWN_MODEL });
    this.#verdict = new LiveVerdict(ledger, () => this.#series);
  }

  get labels(): SeriesLabels {
    return this.#series.labels;
  }

  get now(): AccountNow {
    const { model } = this.#series.labels;
    return {
      phase: this.#phase,
      phaseSinceMs: this.#phaseSinceMs,
      tokens: this.#estimate,
      isCounted: this.#running > 0 && this.#estimate === this.#running,
      model: model === UNKNOWN_MODEL || model === OTHER ? this.#requested : model,
    };
  }

  get expectsReport(): boolean {
    return this.#series.model.reports[this.#asking];
  }

  asksForUsage(asks: boolean): void {
    this.#asking = asks ? 'asking' : 'silent';
  }

  requested(model: string | null): void {
    this.#requested = model;
    const label = this.#ledger.names.labelOf(this.#upstream, model);
    this.#moveTo(label, label !== UNKNOWN_MODEL);
  }

  confirmModel(answered: string | null): void {
    this.#moveTo(this.#ledger.names.confirm(this.#upstream, this.#requested, answered), true);
  }

  phase(phase: Phase | null, atMs: number): void {
    const from = this.#phase;
    if (from === phase) return;
    this.#phase = phase;
    this.#phaseSinceMs = atMs;
    this.#series.move(from, phase, atMs);
    if (this.#isConfirmed) this.#series.model.activity.phase(from, phase, atMs);
    const inFlight = this.#ledger.countGenerations(this.#upstream, (phase === null ? 0 : 1) - (from === null ? 0 : 1));
    if (from === null) {
      this.concurrencyAtStart ??= inFlight;
      this.#beganMs = atMs;
    }
    this.#ledger.onPhase({ upstream: this.#upstream, from, to: phase, atMs, beganMs: this.#beganMs });
    if (from === 'prefill') this.#verdict.waited(phase === 'decode' ? atMs : null);
  }

  firstTokenDue(atMs: number | null): void {
    this.#verdict.due(atMs);
  }

  judged(judged: Judged): void {
    this.#verdict.end(judged);
  }

  emitted(characters: number, runningTokens: number | null, atMs: number): void {
    this.#emitted.characters += characters;
    this.#emitted.chunks += 1;
    if (runningTokens !== null && runningTokens > this.#running) this.#follow(runningTokens, atMs);
    else this.#guess(characters, 1, atMs);
  }

  /** Several output events at once, as another process tells of them. */
  emittedTogether({ characters, chunks, running, atMs }: Emission): void {
    this.#emitted.characters += characters;
    this.#emitted.chunks += chunks;
    const isNews = running !== null && running.tokens > this.#running;
    if (isNews) this.#follow(running.tokens, atMs);
    const since = isNews ? running.since : { characters, chunks };
    if (since.chunks > 0) this.#guess(since.characters, since.chunks, atMs);
  }

  estimate(): number {
    return this.#estimate;
  }

  estimateOf(characters: number): number | null {
    return this.#series.model.calibration.tokensOfText(characters);
  }

  settle(settlement: Settlement): void {
    if (this.#settled) return;
    this.#settled = true;
    const { model } = this.#series;
    const missing = (settlement.outputTokens ?? 0) - this.#counted;
    if (missing > 0) {
      this.#series.add(missing);
      model.settledAdded += missing;
    } else if (missing < 0) {
      this.#series.withheld -= missing;
      model.settledWithheld -= missing;
    }
    if (missing !== 0) model.activity.spread(missing, settlement.fromMs, settlement.toMs);
    if (settlement.wasReported !== null) model.reports[this.#asking] = settlement.wasReported;
    if (settlement.lesson !== null) model.calibration.learn(settlement.lesson);
  }

  /** The upstream itself counts. */
  #follow(runningTokens: number, atMs: number): void {
    this.#running = runningTokens;
    this.#estimate = runningTokens;
    this.#count(runningTokens, atMs);
  }

  #guess(characters: number, chunks: number, atMs: number): void {
    this.#estimate += this.#series.model.calibration.tokens(characters, this.#emitted, chunks);
    this.#count(Math.ceil(this.#estimate - Math.max(1, HELD_BACK * this.#estimate)), atMs);
  }

  /** So many tokens in all may be counted by now. */
  #count(countable: number, atMs: number): void {
    const fresh = countable - this.#counted;
    if (fresh <= 0) return;
    this.#counted = countable;
    this.#series.add(fresh);
    this.#series.model.activity.tokens(fresh, atMs);
  }

  /** What was counted stays where it was counted: the label changes only before the first token. */
  #moveTo(modelLabel: string, isConfirmed: boolean): void {
    const series = this.#ledger.seriesOf({
      upstream: this.#upstream,
      model: modelLabel,
      workload: this.#workload,
      api: this.#api,
    });
    if (series === this.#series && isConfirmed === this.#isConfirmed) return;
    const atMs = this.#ledger.clock.nowMs();
    this.#series.move(this.#phase, null, atMs);
    if (this.#isConfirmed) this.#series.model.activity.phase(this.#phase, null, atMs);
    this.#series = series;
    this.#isConfirmed = isConfirmed;
    series.move(null, this.#phase, atMs);
    if (!isConfirmed) return;
    // Its tokens will be spread over this time, so the time must count as worked.
    if (this.#phase === 'unstreamed') series.model.activity.worked(this.#phaseSinceMs, atMs);
    series.model.activity.phase(null, this.#phase, atMs);
  }
}
