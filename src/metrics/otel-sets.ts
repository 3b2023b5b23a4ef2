import type { UpstreamConfig } from '../config/schema.ts';
import { LabelGuard, OTHER } from '../ledger/label-guard.ts';
import { UNKNOWN_MODEL } from '../ledger/model-names.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import type { LabelValues } from './catalog/entry.ts';
import type { G } from './catalog/otel.ts';
import { operationOf } from './otel-attributes.ts';

export interface OtelLimits {
  max_models: number;
  max_label_sets: number;
}

/** How often a value, or a whole set, was counted as `other`. */
export type OtelOverflow = Record<'gen_ai_request_model' | 'gen_ai_label_set', number>;

export interface OtelSources {
  configured: () => readonly UpstreamConfig[];
  /** The server behind an upstream as it showed itself; null while that is not known. */
  engineOf: (upstream: string) => string | null;
}

/**
 * The set G of a request. A client chooses the name it requests, so the name is told only of a model that an
 * answer confirmed, and both names and sets are capped as ours are (CONTRACT §7).
 */
export class OtelSets {
  readonly overflow: OtelOverflow = { gen_ai_request_model: 0, gen_ai_label_set: 0 };
  readonly #sources: OtelSources;
  readonly #sets = new Set<string>();
  readonly #requested: LabelGuard;
  #maxSets: number;

  constructor(sources: OtelSources, limits: OtelLimits) {
    this.#sources = sources;
    this.#maxSets = limits.max_label_sets;
    this.#requested = new LabelGuard({
      max: limits.max_models,
      always: [UNKNOWN_MODEL, OTHER],
      onOverflow: () => {
        this.overflow.gen_ai_request_model += 1;
      },
    });
  }

  /** A reload may move the caps; what was admitted stays. */
  limit(limits: OtelLimits): void {
    this.#requested.max = limits.max_models;
    this.#maxSets = limits.max_label_sets;
  }

  /** Null for a request that asked no model. */
  setOf(finished: FinishedRequest): LabelValues<typeof G> | null {
    const { record } = finished;
    const upstream = this.#sources.configured().find(({ name }) => name === record.upstream);
    const named = operationOf(record.api, upstream === undefined ? null : this.#engineOf(upstream));
    if (named === null) return null;
    const { requested, answered } = this.#modelsOf(finished);
    const { host, port } = upstream === undefined ? NOWHERE : addressOf(upstream.url);
    if (this.#admits([named.operation, named.provider, requested, answered, host, port])) {
      return [named.operation, named.provider, requested, answered, host, port];
    }
    // What is left is of the configuration and of our own tables: bounded.
    return [named.operation, named.provider, OTHER, OTHER, host, port];
  }

  #engineOf({ name, engine }: UpstreamConfig): string | null {
    return engine === 'auto' ? this.#sources.engineOf(name) : engine;
  }

  #modelsOf({ record, labels }: FinishedRequest): { requested: string; answered: string } {
    const asked = record.requested_model;
    if (labels.model === UNKNOWN_MODEL) return { requested: asked === null ? '' : UNKNOWN_MODEL, answered: '' };
    return {
      requested: asked === null ? '' : this.#requested.admit(asked),
      // An error answer is no answer of the model that its label names.
      answered: record.status < 300 ? labels.model : '',
    };
  }

  #admits(set: readonly string[]): boolean {
    const key = set.join('\n');
    if (this.#sets.has(key)) return true;
    if (this.#sets.size >= this.#maxSets) {
      this.overflow.gen_ai_label_set += 1;
      return false;
    }
    this.#sets.add(key);
    return true;
  }
}

const NOWHERE = { host: '', port: '' };

/** `server.address` and `server.port` of an upstream's URL. */
function addressOf(url: string): { host: string; port: string } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || (protocol === 'https:' ? '443' : '80') };
}
