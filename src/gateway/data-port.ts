import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { parseAddress } from '../config/addresses.ts';
import type { Config, LimitsConfig } from '../config/schema.ts';
import { Connections, type Ongoing } from './connections.ts';
import { Exchange } from './exchange.ts';
import { HeldBytes } from './held-bytes.ts';
import type { DataPortOptions } from './options.ts';
import type { Port } from './port.ts';
import { createProxy } from './proxy.ts';
import { Routes } from './routes.ts';
import { Upstreams } from './upstreams.ts';

/** Throws when an upstream's URL or CA file cannot be read. */
export function createDataPort(options: DataPortOptions): DataPort {
  return new DataPort(options);
}

/** The port where clients connect (CONTRACT §4): from its listening to the last answer of a shutdown. */
class DataPort implements Port {
  readonly options: DataPortOptions;
  readonly clock: Clock;
  readonly held = new HeldBytes();
  limits: LimitsConfig;
  routes: Routes;
  isDraining = false;
  isClosing = false;
  readonly #upstreams: Upstreams;
  readonly #connections = new Connections();
  /** Unique over processes and restarts; requests are counted after it. */
  readonly #idPrefix = randomBytes(6).toString('hex');
  #requests = 0;
  #app: FastifyInstance | null = null;
  #onQuiet: (() => void) | null = null;

  constructor(options: DataPortOptions) {
    this.options = options;
    this.clock = options.clock;
    this.limits = options.config.limits;
    this.#upstreams = new Upstreams(options);
    this.routes = new Routes(this.#upstreams.replace(options.config.upstreams));
  }

  /** Resolves to the `HOST:PORT` really bound. Rejects with the system's error, as when the port is in use. */
  async listen(): Promise<string> {
    const address = parseAddress(this.options.config.listen);
    if (address === null) throw new Error(`cannot listen on ${this.options.config.listen}`);
    this.#app = await createProxy((client) => new Exchange(this, client), this.#connections);
    const { server } = this.#app;
    server.listen(address);
    await once(server, 'listening');
    // Out of file descriptors, say: this connection is lost, the next may not be.
    server.on('error', (error: NodeJS.ErrnoException) => {
      this.options.log.error({ code: error.code }, 'a connection could not be accepted');
    });
    // A server that listens on a host and port has such an address.
    const { address: host, port } = server.address() as AddressInfo;
    return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  }

  /** Takes effect for the next request. Throws, changing nothing, when an upstream's URL or CA file cannot be read. */
  replaceConfig(config: Config): void {
    this.routes = new Routes(this.#upstreams.replace(config.upstreams));
    this.limits = config.limits;
  }

  /** From now on answers close their connections; everything is still served. */
  startDraining(): void {
    this.isDraining = true;
  }

  /** Takes no more connections and requests, waits `graceMs` at most for those in flight, and cuts the rest. */
  async close(graceMs: number): Promise<void> {
    this.isDraining = true;
    this.isClosing = true;
    const server = this.#app?.server;
    server?.close();
    server?.closeIdleConnections();
    await this.#quiet(graceMs);
    this.#connections.shutDown();
    // What was answered last is on its way; a connection that does not take it is not waited for.
    setImmediate(() => server?.closeAllConnections());
    await this.#app?.close();
    await this.#upstreams.destroy();
  }

  nextId(): string {
    this.#requests += 1;
    return `${this.#idPrefix}-${this.#requests}`;
  }

  began(exchange: Ongoing): void {
    this.#connections.add(exchange);
  }

  ended(exchange: Ongoing): void {
    this.#connections.delete(exchange);
    if (!this.isClosing) return;
    if (this.#connections.isQuiet) this.#onQuiet?.();
    // An answer that had begun before the drain kept its connection.
    setImmediate(() => this.#app?.server.closeIdleConnections());
  }

  /** Only where it happened is logged: a message may quote what was being read. */
  meterFault(error: unknown): void {
    const { log, onDegraded } = this.options;
    onDegraded('meter_error');
    const stack = error instanceof Error ? (error.stack?.split('\n').slice(1, 6) ?? []) : [];
    log.error({ fault: error instanceof Error ? error.name : typeof error, stack }, 'metering failed');
  }

  async #quiet(graceMs: number): Promise<void> {
    if (this.#connections.isQuiet) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
