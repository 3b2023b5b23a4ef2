import type { Clock } from './clock.ts';
import type { Config } from './config/schema.ts';
import { Costs } from './cost/costs.ts';
import { CurveFigures } from './curve/curve-figures.ts';
import { curvesJson } from './curve/curve-json.ts';
import { Curves } from './curve/curves.ts';
import { allowedBySlo } from './curve/max-under-slo.ts';
import { StateFile } from './curve/state-file.ts';
import { workloadTargets } from './curve/targets.ts';
import type { ModelActivity, PhaseMove } from './ledger/activity.ts';
import type { UpstreamStatus } from './ledger/upstream-status.ts';
import type { Throughput } from './live/throughput.ts';
import { UpstreamView } from './live/upstream-view.ts';
import type { Log } from './log.ts';
import type { FinishedRequest } from './meter/finished.ts';
import type { CapacitySources } from './metrics/read-capacity.ts';
import { plansFor } from './plan/plan.ts';
import type { PlanAsk } from './plan/plan-types.ts';

export interface CapacityParts {
  clock: Clock;
  config: Config;
  log: Log['logger'];
  throughput: Throughput;
  statusOf: (upstream: string) => UpstreamStatus;
}

/** The windows of `pitot_cost_dollars_per_million_output_tokens`, in seconds. */
const COST_WINDOW_SECONDS = 60;

/** What live traffic says of capacity and cost: operating curves, what they allow, what it costs, and the plans made from them. */
export class Capacity implements CapacitySources {
  readonly upstreams: UpstreamView;
  readonly #parts: CapacityParts;
  readonly #curves: Curves;
  readonly #inShort: CurveFigures;
  readonly #costs: Costs;
  readonly #stateFile: StateFile;
  #config: Config;

  constructor(parts: CapacityParts) {
    const { clock, config, throughput, statusOf, log } = parts;
    this.#parts = parts;
    this.#config = config;
    this.#curves = new Curves(clock, config.upstreams);
    this.#inShort = new CurveFigures(clock, this.#curves, config.workloads);
    this.#costs = new Costs({ clock, config, busyMs: (upstream) => statusOf(upstream).busyMs() });
    this.#stateFile = new StateFile({
      clock,
      curves: () => this.#curves.all(),
      learned: () => this.#curves.learned,
      restore: (curves) => this.#curves.restore(curves),
      warn: (fields, message) => log.warn(fields, message),
    });
    this.#stateFile.configure(config.state.path);
    this.upstreams = new UpstreamView({
      throughput,
      configured: () =>
        this.#config.upstreams.map((upstream) => ({ config: upstream, status: statusOf(upstream.name) })),
      costOf: (upstream, tokensPerSecond) => this.#costs.of(upstream, tokensPerSecond),
      curveOf: (upstream) => this.#inShort.of(upstream),
    });
  }

  configure(config: Config): void {
    this.#config = config;
    this.#curves.configure(config.upstreams);
    this.#inShort.configure(config.workloads);
    this.#costs.configure(config);
    this.#stateFile.configure(config.state.path);
  }

  /** Everything that the windows of the last hour are told goes into the curve too. */
  activityOf(upstream: string, model: string): ModelActivity {
    const window = this.#parts.throughput.windowOf(upstream, model);
    const curve = this.#curves.activityOf(upstream);
    return {
      tokens(count, atMs) {
        window.tokens(count, atMs);
        curve.tokens(count, atMs);
      },
      spread(count, fromMs, toMs) {
        window.spread(count, fromMs, toMs);
        curve.spread(count, fromMs, toMs);
      },
      worked: (fromMs, toMs) => window.worked(fromMs, toMs),
      phase: (from, to, atMs) => window.phase(from, to, atMs),
    };
  }

  phase(move: PhaseMove): void {
    this.#curves.phase(move);
    this.upstreams.phase(move);
  }

  finished(request: FinishedRequest): void {
    this.#curves.finished(request);
    this.#costs.finished(request);
  }

  /** What `/api/operating-curve` answers. */
  operatingCurve(): unknown {
    return curvesJson(this.#curves.configured(), workloadTargets(this.#config.workloads));
  }

  /** What `/api/plan` answers. */
  plan(ask: PlanAsk): unknown {
    const byName = new Map(this.#config.upstreams.map((upstream) => [upstream.name, upstream]));
    const observed = this.#curves.configured().map(({ upstream, conditions, gpus, bins }) => ({
      upstream,
      conditions,
      gpus,
      gpuPricePerHour: byName.get(upstream)?.gpu_price_per_hour ?? null,
      bins,
      targets: workloadTargets(this.#config.workloads),
      priceOf: (model: string) => this.#costs.priceOf(model),
      notes: [],
    }));
    return { plans: plansFor(observed, ask) };
  }

  gpuDollars() {
    return this.#costs.gpuDollars();
  }

  referenceDollars(upstream: string, model: string) {
    return this.#costs.referenceDollars(upstream, model);
  }

  referencePrice(model: string) {
    return this.#costs.priceOf(model);
  }

  costPerMillion(upstream: string) {
    const { throughput, clock } = this.#parts;
    return this.#costs.perMillion(upstream, throughput.total(upstream, COST_WINDOW_SECONDS, clock.nowMs()));
  }

  allowedBySlo() {
    return allowedBySlo(this.#curves.configured(), workloadTargets(this.#config.workloads));
  }

  /** Saves what is remembered. */
  async close(): Promise<void> {
    await this.#stateFile.close();
  }
}
