import type { Clock } from '../clock.ts';
import type { Backlog } from '../meter/backlog.ts';
import type { Api } from '../wire/facts.ts';
import { Account, type AccountBook, type SeriesPlace } from './account.ts';
import type { ActivityFactory, PhaseMove } from './activity.ts';
import { OTHER } from './label-guard.ts';
import type { LiveVerdict, WorkloadVerdict } from './live-verdict.ts';
import { ModelNames, UNKNOWN_MODEL } from './model-names.ts';
import { ModelAccount, Series } from './series.ts';

export interface LedgerOptions {
  clock: Clock;
  /** Most label sets of upstream, model and workload, `unknown` and `other` among them; the rest folds its model into `other`. */
  maxLabelSets: number;
  maxModels: number;
  activityOf: ActivityFactory;
  /** What is relayed and not yet told to the ledger; without one, everything is told at once. */
  backlog?: Backlog;
  /** Every generation of every upstream, as it enters, changes and leaves its phases. */
  onPhase?: (move: PhaseMove) => void;
  /** A request was counted in or out of the goodput of its workload. */
  onVerdict?: (verdict: WorkloadVerdict) => void;
}

/** The labels whose values are capped here, as `pitot_label_overflow_total` names them. */
export type CappedLabel = 'model' | 'label_set';

/**
 * Live token counts that never fall and always settle (CONTRACT §6.5): at any moment with no stream
 * running, the counters less what is withheld equal the sum of the final counts, exactly.
 */
export class Ledger implements AccountBook {
  readonly clock: Clock;
  readonly names: ModelNames;
  readonly overflow: Record<CappedLabel, number> = { model: 0, label_set: 0 };
  readonly waits = new Set<LiveVerdict>();
  readonly onVerdict: (verdict: WorkloadVerdict) => void;
  readonly onPhase: (move: PhaseMove) => void;
  readonly #activityOf: ActivityFactory;
  readonly #backlog: Backlog | null;
  readonly #series = new Map<string, Series>();
  readonly #models = new Map<string, ModelAccount>();
  readonly #generations = new Map<string, number>();
  /** Pairs of upstream and workload: each may come to need a set for the rest of its models. */
  readonly #pairs = new Set<string>();
  #rests = 0;
  #maxLabelSets: number;

  constructor(options: LedgerOptions) {
    this.clock = options.clock;
    this.#activityOf = options.activityOf;
    this.#backlog = options.backlog ?? null;
    this.onPhase = options.onPhase ?? (() => {});
    this.onVerdict = options.onVerdict ?? (() => {});
    this.#maxLabelSets = options.maxLabelSets;
    this.names = new ModelNames(options.maxModels, () => {
      this.overflow.model += 1;
    });
  }

  /** A reload may move the caps; what was admitted stays. */
  setCaps(caps: { maxLabelSets: number; maxModels: number }): void {
    this.#maxLabelSets = caps.maxLabelSets;
    this.names.maxModels = caps.maxModels;
  }

  open(upstream: string, workload: string, api: Api): Account {
    return new Account(this, { upstream, workload, api });
  }

  /** Everything that was relayed by now is told: before anybody reads what streams move. */
  catchUp(): void {
    this.#backlog?.catchUp();
  }

  /** Counts the streams whose first token is overdue: before anybody reads verdicts. */
  findOverdue(): void {
    const nowMs = this.clock.nowMs();
    for (const verdict of this.waits) verdict.check(nowMs);
  }

  series(): Iterable<Series> {
    return this.#series.values();
  }

  models(): Iterable<ModelAccount> {
    return this.#models.values();
  }

  countGenerations(upstream: string, change: number): number {
    const count = (this.#generations.get(upstream) ?? 0) + change;
    this.#generations.set(upstream, count);
    return count;
  }

  seriesOf(place: SeriesPlace): Series {
    const series = this.#find(place) ?? this.#create(place);
    series.apis.add(place.api);
    return series;
  }

  #find(place: SeriesPlace): Series | undefined {
    return this.#series.get(seriesKey(place));
  }

  /**
   * Upstreams and workloads are configured, so only models are many: `unknown` and `other` are always
   * admitted. They count as sets all the same, and `other` has its place before it is needed; so the cap
   * is exceeded only where the configuration alone has more pairs than it leaves room for.
   */
  #create(place: SeriesPlace): Series {
    this.#pairs.add(`${place.upstream}\n${place.workload}`);
    const always = place.model === UNKNOWN_MODEL || place.model === OTHER;
    const reserved = this.#pairs.size - this.#rests;
    if (!always && this.#series.size + reserved >= this.#maxLabelSets) {
      this.overflow.label_set += 1;
      return this.seriesOf({ ...place, model: OTHER });
    }
    if (place.model === OTHER) this.#rests += 1;
    const labels = Object.freeze({ upstream: place.upstream, model: place.model, workload: place.workload });
    const series = new Series(labels, this.#modelOf(place.upstream, place.model));
    this.#series.set(seriesKey(place), series);
    return series;
  }

  #modelOf(upstream: string, model: string): ModelAccount {
    const key = `${upstream}\n${model}`;
    let account = this.#models.get(key);
    if (account === undefined) {
      account = new ModelAccount(upstream, model, this.#activityOf(upstream, model));
      this.#models.set(key, account);
    }
    return account;
  }
}

function seriesKey(place: SeriesPlace): string {
  return `${place.upstream}\n${place.model}\n${place.workload}`;
}
