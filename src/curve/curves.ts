import type { Clock } from '../clock.ts';
import type { UpstreamConfig } from '../config/schema.ts';
import type { ModelActivity, PhaseMove } from '../ledger/activity.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { IdentityTimes } from './identity-times.ts';
import { type CurveBin, OperatingCurve } from './operating-curve.ts';
import { UpstreamWindows } from './upstream-windows.ts';
import { WINDOW_MS } from './window.ts';

/** What a curve was measured under. Two that differ in any of it are two curves: unlike conditions never mix. */
export interface CurveIdentity {
  upstream: string;
  conditions: Readonly<Record<string, string>>;
  gpus: number | null;
}

/** A curve as it is told and kept. */
export interface KnownCurve extends CurveIdentity {
  bins: readonly CurveBin[];
}

/** Configurations come and go; curves of those that are no more are kept up to this many. */
const MOST_CURVES = 100;

interface Entry {
  identity: CurveIdentity;
  curve: OperatingCurve;
}

/** The operating curves of all upstreams, fed by the ledger as things happen and by requests as they end. */
export class Curves {
  /** Grows with every window that was learned from: a file that has them all need not be written again. */
  learned = 0;
  readonly #clock: Clock;
  /** The wall clock when this began. From then on the monotonic one tells how time passes: the other may be set. */
  readonly #began: { epochMs: number; nowMs: number };
  readonly #windows = new Map<string, UpstreamWindows>();
  /** Windows close long after they began: each belongs to what its upstream was then. */
  readonly #times = new Map<string, IdentityTimes<CurveIdentity>>();
  readonly #entries = new Map<string, Entry>();
  /** The identity of each configured upstream that is metered. */
  #configured = new Map<string, CurveIdentity>();

  constructor(clock: Clock, upstreams: readonly UpstreamConfig[]) {
    this.#clock = clock;
    this.#began = { epochMs: clock.epochMs(), nowMs: clock.nowMs() };
    this.#configure(upstreams, Number.NEGATIVE_INFINITY);
  }

  /** A reload: an upstream of the same name under other conditions begins a new curve, and gets the old one back with them. */
  configure(upstreams: readonly UpstreamConfig[]): void {
    this.#closeWindows();
    this.#configure(upstreams, this.#clock.nowMs());
  }

  phase(move: PhaseMove): void {
    this.#windowsOf(move.upstream)?.phase(move);
  }

  /** Tokens only: concurrency is told by `phase`, of all generations alike. */
  activityOf(upstream: string): Pick<ModelActivity, 'tokens' | 'spread'> {
    // Looked up once: this is on the path of every chunk.
    let windows: UpstreamWindows | undefined;
    const own = () => {
      windows ??= this.#windowsOf(upstream);
      return windows;
    };
    return {
      tokens: (count, atMs) => own()?.tokens(count, atMs),
      spread: (count, fromMs, toMs) => own()?.spread(count, { fromMs, toMs }),
    };
  }

  finished(request: FinishedRequest): void {
    if (request.generation) this.#windowsOf(request.labels.upstream)?.finished(request);
    this.#closeWindows();
  }

  /** The curves of the configured upstreams, in their order. */
  configured(): KnownCurve[] {
    this.#closeWindows();
    return [...this.#configured.values()].map((identity) => this.#told({ identity, curve: this.#curveOf(identity) }));
  }

  /** Every curve there is, for a file. */
  all(): KnownCurve[] {
    this.#closeWindows();
    return [...this.#entries.values()].map((entry) => this.#told(entry)).filter(({ bins }) => bins.length > 0);
  }

  /** What was remembered elsewhere. Where a bin is known here too, the one that rests on more windows stays: they may be the same windows. */
  restore(known: readonly KnownCurve[]): void {
    const nowMs = this.#calendarMs();
    for (const { bins, ...identity } of known) {
      const curve = this.#curveOf(identity);
      for (const bin of bins) curve.restore(bin, nowMs);
    }
  }

  #configure(upstreams: readonly UpstreamConfig[], fromMs: number): void {
    const metered = upstreams.filter(({ metering }) => metering === 'full');
    this.#configured = new Map(metered.map((upstream) => [upstream.name, identityOf(upstream)]));
    for (const name of this.#configured.keys()) if (!this.#times.has(name)) this.#times.set(name, new IdentityTimes());
    for (const [name, times] of this.#times) {
      const identity = this.#configured.get(name) ?? null;
      times.change(identity, identity === null ? null : keyOf(identity), fromMs);
    }
  }

  /** Unix milliseconds, as far as this process knows them. */
  #calendarMs(): number {
    return this.#began.epochMs + this.#clock.nowMs() - this.#began.nowMs;
  }

  #told({ identity, curve }: Entry): KnownCurve {
    return { ...identity, bins: curve.bins(this.#calendarMs()) };
  }

  #closeWindows(): void {
    for (const [upstream, windows] of this.#windows) {
      const times = this.#times.get(upstream);
      windows.close(this.#clock.nowMs(), (window) => {
        const identity = times?.throughout(window.fromMs, window.fromMs + WINDOW_MS) ?? null;
        if (identity === null) return;
        this.#curveOf(identity).add(window, this.#calendarMs());
        this.learned += 1;
      });
    }
  }

  #windowsOf(upstream: string): UpstreamWindows | undefined {
    let windows = this.#windows.get(upstream);
    if (windows === undefined && this.#configured.has(upstream)) {
      windows = new UpstreamWindows();
      this.#windows.set(upstream, windows);
    }
    return windows;
  }

  #curveOf(identity: CurveIdentity): OperatingCurve {
    const key = keyOf(identity);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { identity, curve: new OperatingCurve() };
      this.#makeRoom();
      this.#entries.set(key, entry);
    }
    return entry.curve;
  }

  #makeRoom(): void {
    if (this.#entries.size < MOST_CURVES) return;
    const inUse = new Set([...this.#configured.values()].map(keyOf));
    for (const key of this.#entries.keys()) {
      if (inUse.has(key)) continue;
      this.#entries.delete(key);
      return;
    }
  }
}

function identityOf({ name, conditions, gpus }: UpstreamConfig): CurveIdentity {
  return { upstream: name, conditions, gpus };
}

function keyOf({ upstream, conditions, gpus }: CurveIdentity): string {
  return JSON.stringify([upstream, gpus, Object.entries(conditions).sort()]);
}
