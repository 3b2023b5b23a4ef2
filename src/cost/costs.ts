import type { Clock } from '../clock.ts';
import type { Config, UpstreamConfig } from '../config/schema.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { dollarsPerHour, dollarsPerMillion, GpuDollars } from './gpu-dollars.ts';
import { type PriceOf, type ReferencePrice, referenceDollars, referencePrices } from './reference-price.ts';
import type { UpstreamCost } from './upstream-cost.ts';

export interface CostParts {
  clock: Clock;
  config: Pick<Config, 'upstreams' | 'models'>;
  /** Time with at least one request in flight on an upstream, in milliseconds. */
  busyMs: (upstream: string) => number;
}

interface Spent {
  gpu: GpuDollars;
  perHour: number | null;
}

/** Tokens of finished requests of one upstream and model, and what they would have cost elsewhere. */
interface ModelTokens {
  upstream: string;
  model: string;
  output: number;
  wasted: number;
  referenceDollars: number;
}

/** What GPUs cost while time passes, and what the same tokens cost at a reference price. Nothing where nothing is configured. */
export class Costs {
  readonly #parts: CostParts;
  readonly #spent = new Map<string, Spent>();
  readonly #models = new Map<string, ModelTokens>();
  #priceOf: PriceOf = () => null;

  constructor(parts: CostParts) {
    this.#parts = parts;
    this.configure(parts.config);
  }

  /** New prices count from now on. */
  configure({ upstreams, models }: Pick<Config, 'upstreams' | 'models'>): void {
    this.#pass();
    this.#priceOf = referencePrices(models);
    for (const spent of this.#spent.values()) spent.perHour = null;
    for (const upstream of upstreams) this.#price(upstream);
  }

  finished({ record, labels, generation }: FinishedRequest): void {
    if (!generation) return;
    const tokens = this.#tokensOf(labels.upstream, labels.model);
    const output = record.output_tokens ?? 0;
    tokens.output += output;
    if (record.outcome !== 'complete') tokens.wasted += output;
    // By its own name: models past the cap share a label, but not a price.
    const price = this.#priceOf(record.model ?? labels.model);
    if (price === null) return;
    const priced = { input: record.input_tokens ?? 0, cachedInput: record.cached_input_tokens ?? 0, output };
    tokens.referenceDollars += referenceDollars(price, priced);
  }

  priceOf(model: string): ReferencePrice | null {
    return this.#priceOf(model);
  }

  /** Dollars since the start, of each upstream that has GPUs and a price, or had. */
  gpuDollars(): { upstream: string; dollars: number }[] {
    this.#pass();
    return [...this.#spent].map(([upstream, { gpu }]) => ({ upstream, dollars: gpu.total }));
  }

  /** Of a model that has a price, also before its first request ended. */
  referenceDollars(upstream: string, model: string): number | null {
    const dollars = this.#models.get(keyOf(upstream, model))?.referenceDollars ?? 0;
    return dollars > 0 || this.#priceOf(model) !== null ? dollars : null;
  }

  perMillion(upstream: string, tokensPerSecond: number): number | null {
    const perHour = this.#spent.get(upstream)?.perHour ?? null;
    return perHour === null ? null : dollarsPerMillion(perHour, tokensPerSecond);
  }

  /** Null where the upstream has no GPUs or no price. */
  of(upstream: string, tokensPerSecond: number): UpstreamCost | null {
    this.#pass();
    const spent = this.#spent.get(upstream);
    if (spent === undefined || spent.perHour === null) return null;
    const { gpu, perHour } = spent;
    const models = [...this.#models.values()].filter((one) => one.upstream === upstream);
    const output = models.reduce((sum, one) => sum + one.output, 0);
    const wasted = models.reduce((sum, one) => sum + one.wasted, 0);
    const compared = models.flatMap(({ model }) => this.referenceDollars(upstream, model) ?? []);
    return {
      dollars_per_million_output_tokens: dollarsPerMillion(perHour, tokensPerSecond),
      gpu_dollars_per_hour: perHour,
      gpu_dollars_total: gpu.total,
      idle_dollars_total: gpu.idle,
      wasted_dollars_total: output > 0 ? (gpu.total - gpu.idle) * (wasted / output) : null,
      reference_dollars_total: compared.length > 0 ? compared.reduce((sum, dollars) => sum + dollars, 0) : null,
    };
  }

  #price(upstream: UpstreamConfig): void {
    const perHour = dollarsPerHour(upstream);
    const { name } = upstream;
    const spent = this.#spent.get(name);
    if (spent !== undefined) spent.perHour = perHour;
    else if (perHour !== null)
      this.#spent.set(name, { perHour, gpu: new GpuDollars(this.#parts.clock.nowMs(), this.#parts.busyMs(name)) });
  }

  #pass(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const [upstream, { gpu, perHour }] of this.#spent)
      gpu.pass(perHour ?? 0, { nowMs, busyMs: this.#parts.busyMs(upstream) });
  }

  #tokensOf(upstream: string, model: string): ModelTokens {
    const key = keyOf(upstream, model);
    let tokens = this.#models.get(key);
    if (tokens === undefined) {
      tokens = { upstream, model, output: 0, wasted: 0, referenceDollars: 0 };
      this.#models.set(key, tokens);
    }
    return tokens;
  }
}

function keyOf(upstream: string, model: string): string {
  return `${upstream}\n${model}`;
}
