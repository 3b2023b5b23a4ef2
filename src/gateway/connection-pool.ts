import type { EventEmitter } from 'node:events';
import { Client, type Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { Forward } from './forward.ts';
import { IdleAge } from './idle-age.ts';

export interface PoolOptions {
  /** Most connections at once; 0: no bound. Requests beyond it wait for one. */
  maxConnections: number;
  /** Longest idle time of a connection, in milliseconds; 0: a connection serves one request. */
  keepAliveMs: number;
  client: Omit<Client.Options, 'keepAliveTimeout' | 'keepAliveMaxTimeout' | 'pipelining'>;
}

/** undici's code for what it ends itself: an idle time that is over, a connection that may not be kept. */
const OUR_OWN_DOING = 'UND_ERR_INFO';

interface Waiting {
  readonly request: Dispatcher.DispatchOptions;
  readonly forward: Forward;
}

interface Idle {
  readonly client: Client;
  readonly sinceMs: number;
}

/**
 * The connections to one upstream, one request at a time on each. An ordinary pool hands out a
 * connection the moment its answer is complete. Servers exist that promise keep-alive and then close
 * (llama.cpp does after every stream): a POST sent into that gap fails with a reset, and may not be
 * sent again (CONTRACT §4). So a connection rests before it is used again, and an upstream that is
 * seen to close idle connections early gets them back no older than that (`IdleAge`).
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #age = new IdleAge();
  /** Oldest first. */
  readonly #idle: Idle[] = [];
  readonly #clients = new Set<Client>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;

  constructor(origin: string, options: PoolOptions, clock: Clock) {
    this.#origin = origin;
    this.#options = options;
    this.#clock = clock;
  }

  dispatch(request: Dispatcher.DispatchOptions, forward: Forward): void {
    const client = this.#take();
    if (client !== null) {
      this.#run(client, request, forward);
      return;
    }
    const waiting = { request, forward };
    this.#waiting.add(waiting);
    // Its client has left: it is never sent, and holds no place and no memory.
    forward.onReleased = () => this.#waiting.delete(waiting);
  }

  /** Takes no more requests; connections close once what runs on them has ended. */
  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#idle.splice(0)) this.#discard(client);
  }

  /** Ends every connection at once. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#idle.length = 0;
    await Promise.all(clients.map((client) => client.destroy()));
  }

  #run(client: Client, request: Dispatcher.DispatchOptions, forward: Forward): void {
    forward.onReleased = (isReusable) => this.#release(client, isReusable);
    client.dispatch(request, forward);
  }

  /** A rested idle connection, else a new one, else (at the bound) any idle one; null when all are busy. */
  #take(): Client | null {
    const nowMs = this.#clock.nowMs();
    for (let place = this.#idle.length - 1; place >= 0; place -= 1) {
      const idle = this.#idle[place];
      if (idle === undefined || !this.#age.mayReuse(nowMs - idle.sinceMs, nowMs)) continue;
      this.#idle.splice(place, 1);
      return idle.client;
    }
    const { maxConnections } = this.#options;
    if (maxConnections === 0 || this.#clients.size < maxConnections) return this.#connect();
    return this.#idle.shift()?.client ?? null;
  }

  #connect(): Client {
    const { client: options, keepAliveMs } = this.#options;
    const idleMs = Math.max(1, keepAliveMs);
    const client = new Client(this.#origin, {
      ...options,
      pipelining: keepAliveMs === 0 ? 0 : 1,
      keepAliveTimeout: idleMs,
      // A server's own `Keep-Alive: timeout` may shorten the idle time, never prolong it.
      keepAliveMaxTimeout: idleMs,
    });
    this.#clients.add(client);
    // It emits an error only where a handler of ours threw, and without a listener that would end the process.
    const emitter: EventEmitter = client;
    emitter.on('error', () => {});
    client.on('disconnect', (_origin, _targets, error) => this.#disconnected(client, error.code === OUR_OWN_DOING));
    return client;
  }

  /** A connection closed while it was idle: by the upstream, or at the end of our own idle time, which teaches nothing. */
  #disconnected(client: Client, isOurDoing: boolean): void {
    const place = this.#idle.findIndex((idle) => idle.client === client);
    if (place < 0) return;
    const [idle] = this.#idle.splice(place, 1);
    const nowMs = this.#clock.nowMs();
    if (idle !== undefined && !isOurDoing) this.#age.closedAt(nowMs - idle.sinceMs, nowMs);
    this.#discard(client);
  }

  #release(client: Client, isReusable: boolean): void {
    if (!this.#clients.has(client)) return;
    if (isReusable && !this.#isClosed && this.#options.keepAliveMs > 0) {
      this.#idle.push({ client, sinceMs: this.#clock.nowMs() });
    } else this.#discard(client);
    if (this.#waiting.size > 0) setImmediate(() => this.#next());
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.dispatch(next.request, next.forward);
  }

  #discard(client: Client): void {
    this.#clients.delete(client);
    client.close().catch(() => {});
  }
}
