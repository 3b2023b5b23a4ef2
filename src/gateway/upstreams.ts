import type { Clock } from '../clock.ts';
import { parseBaseUrl } from '../config/addresses.ts';
import type { UpstreamConfig } from '../config/schema.ts';
import type { UpstreamEvents } from '../ledger/upstream-status.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import { connectorOf } from './connect.ts';
import { ConnectionPool } from './connection-pool.ts';
import { UsagePolicy } from './usage-policy.ts';

/** Longest head of an answer, in bytes, as of a request (FAULTS B92). */
export const MAX_HEAD_BYTES = 64 * 1024;

/** One configured upstream and its pool of connections. */
export interface Upstream {
  readonly config: UpstreamConfig;
  readonly origin: string;
  /** Put before every target, textually. */
  readonly prefix: string;
  readonly pool: ConnectionPool;
  readonly status: UpstreamEvents;
  readonly usage: UsagePolicy;
}

export interface UpstreamsParts {
  clock: Clock;
  statusOf(upstream: string): UpstreamEvents;
  onUsageAsk(upstream: string, result: UsageAskResult): void;
}

/**
 * The upstreams as configured. A pool outlives a reload that leaves its connections as they are;
 * a retired one closes once what runs over it has ended.
 */
export class Upstreams {
  readonly #parts: UpstreamsParts;
  #pools = new Map<string, ConnectionPool>();
  #policies = new Map<string, UsagePolicy>();

  constructor(parts: UpstreamsParts) {
    this.#parts = parts;
  }

  /** Throws when a URL or a CA file cannot be read; then everything stays as it was. */
  replace(configs: readonly UpstreamConfig[]): Upstream[] {
    const pools = new Map<string, ConnectionPool>();
    const policies = new Map<string, UsagePolicy>();
    const upstreams = configs.map((config) => this.#build(config, { pools, policies }));
    const retired = [...this.#pools].filter(([key]) => !pools.has(key));
    this.#pools = pools;
    this.#policies = policies;
    for (const { status, usage } of upstreams) status.engine = usage.engine;
    for (const [, pool] of retired) pool.close();
    return upstreams;
  }

  /** Ends every connection at once. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools = new Map();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #build(
    config: UpstreamConfig,
    next: { pools: Map<string, ConnectionPool>; policies: Map<string, UsagePolicy> },
  ): Upstream {
    const base = parseBaseUrl(config.url);
    if (base === null) throw new Error(`upstream ${config.name} has no usable url`);
    const { name, timeouts, max_connections, keep_alive, tls } = config;
    const key = JSON.stringify([name, base.origin, timeouts.connect, max_connections, keep_alive, tls]);
    const pool = next.pools.get(key) ?? this.#pools.get(key) ?? this.#connect(base.origin, config);
    next.pools.set(key, pool);
    const status = this.#parts.statusOf(name);
    const place = JSON.stringify([name, base.origin, base.prefix]);
    const usage = this.#policies.get(place) ?? new UsagePolicy(status, this.#parts.clock, this.#parts.onUsageAsk);
    next.policies.set(place, usage);
    return { config, origin: base.origin, prefix: base.prefix, pool, status, usage };
  }

  #connect(origin: string, config: UpstreamConfig): ConnectionPool {
    const options = {
      // undici's own pools default to 128 connections, and the 129th stream waits silently.
      maxConnections: config.max_connections,
      keepAliveMs: Math.round(config.keep_alive),
      client: { maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: 0, bodyTimeout: 0, connect: connectorOf(config) },
    };
    return new ConnectionPool(origin, options, this.#parts.clock);
  }
}
