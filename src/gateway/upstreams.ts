import type { Clock } from '../clock.ts';
import { parseBaseUrl } from '../config/addresses.ts';
import type { UpstreamConfig } from '../config/schema.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import { connectorOf } from './connect.ts';
import { ConnectionPool } from './connection-pool.ts';

/** Longest head of an answer, in bytes, as of a request (FAULTS B92). */
export const MAX_HEAD_BYTES = 64 * 1024;

/** One configured upstream and its pool of connections. */
export interface Upstream {
  readonly config: UpstreamConfig;
  readonly origin: string;
  /** Put before every target, textually. */
  readonly prefix: string;
  readonly pool: ConnectionPool;
  readonly status: UpstreamStatus;
}

/**
 * The upstreams as configured. A pool outlives a reload that leaves its connections as they are;
 * a retired one closes once what runs over it has ended.
 */
export class Upstreams {
  readonly #statusOf: (upstream: string) => UpstreamStatus;
  readonly #clock: Clock;
  #pools = new Map<string, ConnectionPool>();

  constructor(statusOf: (upstream: string) => UpstreamStatus, clock: Clock) {
    this.#statusOf = statusOf;
    this.#clock = clock;
  }

  /** Throws when a URL or a CA file cannot be read; then everything stays as it was. */
  replace(configs: readonly UpstreamConfig[]): Upstream[] {
    const pools = new Map<string, ConnectionPool>();
    const upstreams = configs.map((config) => this.#build(config, pools));
    const retired = [...this.#pools].filter(([key]) => !pools.has(key));
    this.#pools = pools;
    for (const [, pool] of retired) pool.close();
    return upstreams;
  }

  /** Ends every connection at once. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools = new Map();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #build(config: UpstreamConfig, pools: Map<string, ConnectionPool>): Upstream {
    const base = parseBaseUrl(config.url);
    if (base === null) throw new Error(`upstream ${config.name} has no usable url`);
    const { name, timeouts, max_connections, keep_alive, tls } = config;
    const key = JSON.stringify([name, base.origin, timeouts.connect, max_connections, keep_alive, tls]);
    const pool = pools.get(key) ?? this.#pools.get(key) ?? this.#connect(base.origin, config);
    pools.set(key, pool);
    return { config, origin: base.origin, prefix: base.prefix, pool, status: this.#statusOf(name) };
  }

  #connect(origin: string, config: UpstreamConfig): ConnectionPool {
    const options = {
      // undici's own pools default to 128 connections, and the 129th stream waits silently.
      maxConnections: config.max_connections,
      keepAliveMs: Math.round(config.keep_alive),
      client: { maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: 0, bodyTimeout: 0, connect: connectorOf(config) },
    };
    return new ConnectionPool(origin, options, this.#clock);
  }
}
