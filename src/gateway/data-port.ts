import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config, LimitsConfig } from '../config/schema.ts';
import { MemoryBound } from '../meter/memory-bound.ts';
import { ClientSockets } from './client-sockets.ts';
import { Connections, type Ongoing } from './connections.ts';
import { Exchange } from './exchange.ts';
import { listenOn } from './listening.ts';
import type { DataPortOptions } from './options.ts';
import type { Port } from './port.ts';
import { createProxy } from './proxy.ts';
import type { Relay } from './relay.ts';
import { Routes } from './routes.ts';
import { Upstreams } from './upstreams.ts';

/** How long an answer that was given at the very end may take to leave. */
const LAST_WORDS_MS = 1_000;

/** Throws when an upstream's URL or CA file cannot be read. */
export function createDataPort(options: DataPortOptions): DataPort {
  return new DataPort(options);
}

/** The port where clients connect (CONTRACT §4): from its listening to the last answer of a shutdown. */
class DataPort implements Port, Relay {
  readonly options: DataPortOptions;
  readonly clock: Clock;
  readonly held: MemoryBound;
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
  #sockets: ClientSockets | null = null;
  #onQuiet: (() => void) | null = null;

  constructor(options: DataPortOptions) {
    this.options = options;
    this.clock = options.clock;
    this.limits = options.config.limits;
    this.held = new MemoryBound(options.config.limits.body_buffer_total);
    this.#upstreams = new Upstreams(options);
    this.routes = new Routes(this.#upstreams.replace(options.config.upstreams));
  }

  /** Resolves to the `HOST:PORT` really bound. Rejects with the system's error, as when the port is in use. */
  async listen(): Promise<string> {
    return await listenOn(await this.#serve(), this.options.config.listen, this.options.log);
  }

  /** Takes connections that another process has accepted, in place of listening. */
  async open(): Promise<(socket: Socket) => void> {
    const server = await this.#serve();
    // With this word Node begins to watch over slow requests.
    server.emit('listening');
    return (socket) => {
      socket.allowHalfOpen = true;
      server.emit('connection', socket);
    };
  }

  /** Takes effect for the next request. Throws, changing nothing, when an upstream's URL or CA file cannot be read. */
  replaceConfig(config: Config): void {
    this.routes = new Routes(this.#upstreams.replace(config.upstreams));
    this.limits = config.limits;
    this.held.limitBytes = config.limits.body_buffer_total;
  }

  /** From now on answers close their connections; everything is still served. */
  startDraining(): void {
    this.isDraining = true;
  }

  /**
   * Takes no more connections, waits `graceMs` at most for what runs on those there are, and cuts the
   * rest. Who has connected is served: a request that has left its client would else be lost.
   */
  async close(graceMs: number): Promise<void> {
    this.isDraining = true;
    await this.#sockets?.stop();
    await this.#quiet(graceMs);
    this.isClosing = true;
    this.#connections.shutDown();
    await this.#sockets?.closed(Math.min(LAST_WORDS_MS, graceMs));
    await this.#app?.close();
    await this.#upstreams.destroy();
  }

  nextId(): string {
    this.#requests += 1;
    return `${this.#idPrefix}-${this.#requests}`;
  }

  began(exchange: Ongoing): void {
    this.#connections.add(exchange);
    this.#sockets?.asked(exchange.connection);
  }

  ended(exchange: Ongoing): void {
    this.#connections.delete(exchange);
    // An answer that had begun before the drain kept its connection.
    this.#sockets?.answered(exchange.connection);
    this.#checkQuiet();
  }

  /** Only where it happened is logged: a message may quote what was being read. */
  meterFault(error: unknown): void {
    const { log, onDegraded } = this.options;
    onDegraded('meter_error');
    const stack = error instanceof Error ? (error.stack?.split('\n').slice(1, 6) ?? []) : [];
    log.error({ fault: error instanceof Error ? error.name : typeof error, stack }, 'metering failed');
  }

  async #serve(): Promise<Server> {
    this.#app = await createProxy((client) => new Exchange(this, client), this.#connections);
    const { server } = this.#app;
    this.#sockets = new ClientSockets(server, this.#connections);
    this.#sockets.onAllAsked = () => this.#checkQuiet();
    return server;
  }

  async #quiet(graceMs: number): Promise<void> {
    if (this.#isQuiet) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #checkQuiet(): void {
    if (this.#isQuiet) this.#onQuiet?.();
  }

  get #isQuiet(): boolean {
    return this.#connections.isQuiet && (this.#sockets?.haveAsked ?? true);
  }
}
