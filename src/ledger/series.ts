import type { SeriesLabels } from '../meter/live-account.ts';
import { PHASES, type Phase } from '../meter/record.ts';
import type { Api } from '../wire/facts.ts';
import type { ModelActivity } from './activity.ts';
import { Calibration } from './calibration.ts';
import { VerdictCounts } from './verdict-counts.ts';

/** What is kept per upstream and model (the label set M of CONTRACT §7). */
export class ModelAccount {
  readonly upstream: string;
  readonly model: string;
  readonly calibration = new Calibration();
  readonly activity: ModelActivity;
  /** The last whole answer came with the upstream's own count: to requests that ask for it, and to the others. */
  readonly reports = { asking: false, silent: false };
  /** How far live counts were off in the end, in tokens: too few, and too many. */
  settledAdded = 0;
  settledWithheld = 0;

  constructor(upstream: string, model: string, activity: ModelActivity) {
    this.upstream = upstream;
    this.model = model;
    this.activity = activity;
  }
}

/** What is kept per label set W: plain numbers, read at scrape time. */
export class Series {
  readonly labels: SeriesLabels;
  readonly model: ModelAccount;
  readonly apis = new Set<Api>();
  /** A generation was in flight here. */
  hasGenerated = false;
  readonly verdicts = new VerdictCounts();
  /** The live, settled counter: whole tokens, never falls. */
  outputTokens = 0;
  /** Tokens counted too early, still to be absorbed by later increments. */
  withheld = 0;
  readonly inFlight: Record<Phase, number> = { prefill: 0, decode: 0, unstreamed: 0 };
  readonly #phaseMs: Record<Phase, number> = { prefill: 0, decode: 0, unstreamed: 0 };
  #integratedToMs = 0;

  constructor(labels: SeriesLabels, model: ModelAccount) {
    this.labels = labels;
    this.model = model;
  }

  /** Adds tokens to the counter, less what was counted too early before. */
  add(tokens: number): void {
    const absorbed = Math.min(this.withheld, tokens);
    this.withheld -= absorbed;
    this.outputTokens += tokens - absorbed;
  }

  move(from: Phase | null, to: Phase | null, atMs: number): void {
    this.#integrate(atMs);
    if (from !== null) this.inFlight[from] -= 1;
    if (to === null) return;
    this.inFlight[to] += 1;
    this.hasGenerated = true;
  }

  /** Integral of concurrency over time, in seconds, up to now. */
  phaseSeconds(phase: Phase, nowMs: number): number {
    this.#integrate(nowMs);
    return this.#phaseMs[phase] / 1000;
  }

  /** Stamps may be a little older than the last one (the bytes waited in a socket): time never runs back. */
  #integrate(atMs: number): void {
    const passedMs = atMs - this.#integratedToMs;
    if (passedMs <= 0) return;
    for (const phase of PHASES) this.#phaseMs[phase] += this.inFlight[phase] * passedMs;
    this.#integratedToMs = atMs;
  }
}
