import type { UpstreamConfig } from '../config/schema.ts';
import { dollarsPerHour, dollarsPerMillion } from '../cost/gpu-dollars.ts';
import type { UpstreamCost } from '../cost/upstream-cost.ts';
import type { PhaseMove } from '../ledger/activity.ts';
import { UNKNOWN_MODEL } from '../ledger/model-names.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { PHASES, type Phase } from '../meter/record.ts';
import { type Concurrency, PhaseCells } from './phase-cells.ts';
import { RecentFigures } from './recent-figures.ts';
import type { CostSnapshot } from './snapshot-type.ts';
import type { ModelWindow, Throughput } from './throughput.ts';
import type {
  FloorSnapshot,
  MaxUnderSloSnapshot,
  ModelSnapshot,
  ThroughputSnapshot,
  UpstreamSnapshot,
  UpstreamState,
} from './upstream-snapshot.ts';

/** The windows of the snapshot, in seconds: concurrency and throughput of the moment, and what needs more to be steady. */
const NOW_SECONDS = 10;
const MINUTE_SECONDS = 60;

export interface UpstreamViewParts {
  throughput: Throughput;
  configured: () => readonly { config: UpstreamConfig; status: UpstreamStatus }[];
  costOf: (upstream: string, tokensPerSecond: number) => UpstreamCost | null;
  /** What its operating curve says: from which concurrency on throughput grows no more, and what its SLOs allow. */
  curveOf: (upstream: string) => { saturation: number | null; maxUnderSlo: MaxUnderSloSnapshot[] };
}

/** What is shown of each upstream: its throughput with the conditions it came about under, its floor and its cost. */
export class UpstreamView {
  readonly #parts: UpstreamViewParts;
  readonly #phases = new Map<string, PhaseCells>();
  readonly #figures = new RecentFigures();

  constructor(parts: UpstreamViewParts) {
    this.#parts = parts;
  }

  phase({ upstream, from, to, atMs }: PhaseMove): void {
    let cells = this.#phases.get(upstream);
    if (cells === undefined) {
      cells = new PhaseCells();
      this.#phases.set(upstream, cells);
    }
    cells.move(from, to, atMs);
  }

  finished(request: FinishedRequest, nowMs: number): void {
    this.#figures.finished(request, nowMs);
    const { record, labels, endMs, generation } = request;
    if (!generation || record.input_tokens === null) return;
    const bodyMs = endMs - record.e2e_ms + (record.upload_ms ?? 0);
    const readToMs = record.ttft_ms === null ? endMs : bodyMs + record.ttft_ms;
    this.#parts.throughput.windowOf(labels.upstream, labels.model).read(record.input_tokens, bodyMs, readToMs);
  }

  /** What the throughput of all upstreams together came about under. */
  conditions(nowMs: number): Omit<ThroughputSnapshot, 'tokens_per_second'> {
    const { tokens_per_second: _, ...conditions } = this.#throughputOf(null, nowMs);
    return conditions;
  }

  /** Mean generations in flight in each of so many seconds, over all upstreams; the first second is `from`. */
  bySecond(from: number, seconds: number): Record<Phase, Float64Array> {
    const column = () => new Float64Array(seconds);
    const columns = { prefill: column(), decode: column(), unstreamed: column() };
    for (const cells of this.#phases.values()) cells.addSeconds(columns, from);
    return columns;
  }

  snapshots(nowMs: number): UpstreamSnapshot[] {
    return this.#parts.configured().map(({ config, status }) => {
      const { name, gpus, conditions } = config;
      const now = this.#throughputOf(name, nowMs);
      const floor = this.#floorOf(config, nowMs);
      const { saturation, maxUnderSlo } = this.#parts.curveOf(name);
      return {
        name,
        up: status.up,
        state: stateOf(status, { floor, concurrency: now.concurrency.total, saturation }),
        in_flight: status.inFlight,
        ...now,
        conditions,
        gpus,
        tokens_per_second_per_gpu: gpus === null ? null : now.tokens_per_second / gpus,
        models: this.#modelsOf(name, nowMs),
        floor,
        max_under_slo: maxUnderSlo,
        saturation_concurrency: saturation,
        cost: this.#parts.costOf(name, this.#parts.throughput.total(name, MINUTE_SECONDS, nowMs)),
      };
    });
  }

  /** Of all upstreams that have GPUs and a price; null where none has. */
  cost(nowMs: number): CostSnapshot | null {
    let perHour: number | null = null;
    let tokensPerSecond = 0;
    for (const { config } of this.#parts.configured()) {
      const own = dollarsPerHour(config);
      if (own === null) continue;
      perHour = (perHour ?? 0) + own;
      tokensPerSecond += this.#parts.throughput.total(config.name, MINUTE_SECONDS, nowMs);
    }
    if (perHour === null) return null;
    return {
      dollars_per_million_output_tokens: dollarsPerMillion(perHour, tokensPerSecond),
      gpu_dollars_per_hour: perHour,
    };
  }

  #throughputOf(upstream: string | null, nowMs: number): ThroughputSnapshot {
    const { throughput } = this.#parts;
    const windows = throughput.entries(upstream);
    const input = windows.reduce((sum, { window }) => sum + window.inputOver(MINUTE_SECONDS, nowMs), 0);
    const figures = this.#figures.spreads({ upstream, model: null }, nowMs);
    return {
      tokens_per_second: throughput.total(upstream, NOW_SECONDS, nowMs),
      input_tokens_per_second: input / MINUTE_SECONDS,
      concurrency: told(this.#concurrency(upstream, NOW_SECONDS, nowMs)),
      input_tokens: figures.input,
      output_tokens: figures.output,
    };
  }

  #modelsOf(upstream: string, nowMs: number): ModelSnapshot[] {
    const entries = this.#parts.throughput.entries(upstream).filter(isShown);
    return entries.map(({ model, window }) => {
      const tokens = window.tokensOver(NOW_SECONDS, nowMs);
      const activeSeconds = window.activeSecondsOver(NOW_SECONDS, nowMs);
      const figures = this.#figures.spreads({ upstream, model }, nowMs);
      return {
        model,
        tokens_per_second: tokens / NOW_SECONDS,
        active_tokens_per_second: activeSeconds > 0 ? tokens / activeSeconds : null,
        input_tokens_per_second: window.inputOver(MINUTE_SECONDS, nowMs) / MINUTE_SECONDS,
        concurrency: told(window.concurrencyOver(NOW_SECONDS, nowMs)),
        input_tokens: figures.input,
        output_tokens: figures.output,
        speed: figures.speed,
        ttft_ms: figures.ttft,
        tpot_ms: figures.tpot,
        longest_gap_ms: figures.gap,
      };
    });
  }

  #floorOf({ name, floor }: UpstreamConfig, nowMs: number): FloorSnapshot | null {
    if (floor === null) return null;
    const concurrency = told(this.#concurrency(name, MINUTE_SECONDS, nowMs)).total;
    const hasDemand = concurrency >= floor.min_concurrency;
    const tokensPerSecond = this.#parts.throughput.total(name, MINUTE_SECONDS, nowMs);
    return {
      output_tokens_per_second: floor.output_tokens_per_second,
      min_concurrency: floor.min_concurrency,
      objective: floor.objective,
      has_demand: hasDemand,
      share: hasDemand ? tokensPerSecond / floor.output_tokens_per_second : null,
    };
  }

  #concurrency(upstream: string | null, seconds: number, nowMs: number): Concurrency {
    const sum: Concurrency = { prefill: 0, decode: 0, unstreamed: 0 };
    for (const [name, cells] of this.#phases) {
      if (upstream !== null && name !== upstream) continue;
      const mean = cells.mean(seconds, nowMs);
      for (const phase of PHASES) sum[phase] += mean[phase];
    }
    return sum;
  }
}

/** Generations of no named model are one, where there are any: some APIs name none. */
function isShown({ model, window }: ModelWindow): boolean {
  return model !== UNKNOWN_MODEL || window.isUsed;
}

function told(concurrency: Concurrency): ThroughputSnapshot['concurrency'] {
  const { prefill, decode, unstreamed } = concurrency;
  return { total: prefill + decode + unstreamed, prefill, decode, unstreamed };
}

function stateOf(
  { up, inFlight }: UpstreamStatus,
  now: { floor: FloorSnapshot | null; concurrency: number; saturation: number | null },
): UpstreamState {
  if (up === false) return 'down';
  const share = now.floor?.share ?? null;
  if (share !== null && share < 1) return 'below_floor';
  if (now.saturation !== null && now.concurrency > now.saturation) return 'saturated';
  return inFlight > 0 ? 'flowing' : 'idle';
}
