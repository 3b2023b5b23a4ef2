import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { Acceptor } from '../gateway/acceptor.ts';
import { connectorOf } from '../gateway/connect.ts';
import type { GatewayLog } from '../gateway/options.ts';
import type { Relay } from '../gateway/relay.ts';
import { CrewMember } from './crew-member.ts';
import type { Ear, Hearing } from './ear.ts';
import { LOOK_EVERY_MS } from './pace.ts';
import { shareOf } from './share.ts';
import type { Ended } from './worker-process.ts';

export interface CrewParts {
  clock: Clock;
  log: GatewayLog;
  /** Hears what the workers tell. */
  ear: Ear;
}

/** One process of a worker, from its start to its end. */
interface Running {
  ready: Promise<void>;
  ended: Promise<Ended>;
  over: Hearing['over'];
}

/** How soon a worker that died too often is given another try. */
const RETRY_MS = 1_000;
/** What a worker may need beyond the grace: last words, records that are still being counted, its last report. */
const LAST_MS = 6_000;
/** Node takes a longer one for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The workers, as the first process keeps them: it accepts the connections of clients, hands them on in
 * turn, and replaces a worker that dies. The listener is its own, so that the port outlives every worker,
 * and who has connected is lost to none that has not taken him.
 */
export class Crew implements Relay {
  readonly #parts: CrewParts;
  readonly #listen: string;
  readonly #members: CrewMember[];
  readonly #acceptor = new Acceptor((socket) => this.#accepted(socket));
  /** Connections that no worker could take yet. */
  readonly #waiting: Socket[] = [];
  #config: Config;
  #turn = 0;
  /** All of them took connections once: from then on one that dies is replaced. */
  #isOpen = false;
  #isDraining = false;
  #isClosing = false;
  #kept: Promise<void>[] = [];
  #closed: Promise<void> | null = null;
  #watch: NodeJS.Timeout | null = null;

  constructor(config: Config, parts: CrewParts) {
    this.#parts = parts;
    this.#config = config;
    this.#listen = config.listen;
    this.#members = Array.from({ length: config.workers }, (_, index) => new CrewMember(index + 1, parts.clock));
  }

  /** Resolves when all workers take connections. */
  async listen(): Promise<string> {
    const listen = await this.#acceptor.listen(this.#listen, this.#parts.log);
    const started = this.#members.map((member) => ({ member, first: this.#start(member) }));
    this.#kept = started.map(({ member, first }) => this.#keep(member, first));
    await Promise.all(started.map(({ first }) => first.ready));
    this.#isOpen = true;
    this.#watch = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#handOn();
    return listen;
  }

  replaceConfig(config: Config): void {
    // What a worker would refuse is refused here, before any of them hears of it.
    for (const upstream of config.upstreams) connectorOf(upstream);
    this.#config = { ...config, workers: this.#members.length };
    this.#toAll({ kind: 'configure', config: shareOf(this.#config) });
  }

  startDraining(): void {
    this.#isDraining = true;
    this.#toAll({ kind: 'drain' });
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    await this.#acceptor.stop();
    this.#isClosing = true;
    for (const socket of this.#waiting.splice(0)) socket.resetAndDestroy();
    for (const member of this.#members) {
      if (member.isReady) member.send({ kind: 'close', graceMs });
      else member.kill();
    }
    const overdue = setTimeout(() => this.#killAll(), Math.min(graceMs + LAST_MS, LONGEST_TIMER_MS));
    await Promise.all(this.#kept);
    clearTimeout(overdue);
    if (this.#watch !== null) clearInterval(this.#watch);
  }

  /** As long as the crew is at work, there is a process for this member. */
  async #keep(member: CrewMember, first: Running): Promise<void> {
    let process: Running | null = first;
    while (process !== null) {
      const ended = await process.ended;
      const lost = process.over();
      for (const socket of member.leftOver()) this.#accepted(socket);
      if (!this.#isOpen) return;
      if (!this.#isClosing || lost > 0) this.#lament(member, ended, lost);
      process = (await this.#mayStart(member)) ? this.#start(member) : null;
    }
  }

  #start(member: CrewMember): Running {
    const { listener, over } = this.#parts.ear.of(member.worker);
    member.onHeardAgain = () => {
      this.#parts.log.warn({ worker: member.worker }, 'a worker is heard again');
      this.#handOn();
    };
    const config = this.#config;
    const { ready, ended } = member.start(shareOf(config), listener);
    void ready.then(() => this.#ready(member, config)).catch(() => {});
    return { ready, ended, over };
  }

  async #mayStart(member: CrewMember): Promise<boolean> {
    while (!this.#isClosing) {
      if (member.starts.take()) return true;
      await delay(RETRY_MS);
    }
    return false;
  }

  /** What was told to all while it started, it has not heard. */
  #ready(member: CrewMember, startedWith: Config): void {
    if (this.#config !== startedWith) member.send({ kind: 'configure', config: shareOf(this.#config) });
    if (this.#isDraining) member.send({ kind: 'drain' });
    if (this.#isOpen) this.#handOn();
  }

  #handOn(): void {
    for (const socket of this.#waiting.splice(0)) this.#accepted(socket);
  }

  #lament(member: CrewMember, { code, signal }: Ended, requests: number): void {
    const fields = { worker: member.worker, code, signal, requests };
    this.#parts.log.error(fields, 'a worker died, and with it the requests that it had under way');
  }

  /** To the next worker in turn of those that have the fewest still to take: one that hangs gets few. */
  #accepted(socket: Socket): void {
    // Until all are there, the first would be given everything.
    const able = this.#isOpen ? this.#members.filter(({ canTake }) => canTake) : [];
    const fewest = Math.min(...able.map(({ untaken }) => untaken));
    const first = able.filter(({ untaken }) => untaken === fewest);
    const next = first[this.#turn % Math.max(1, first.length)];
    this.#turn += 1;
    if (next !== undefined) next.hand(socket, (back) => this.#accepted(back));
    // There will be nobody any more.
    else if (this.#isClosing) socket.resetAndDestroy();
    else this.#waiting.push(socket);
  }

  /** A worker that is stopped, or whose event loop hangs, does not die of it. */
  #look(): void {
    for (const member of this.#members) {
      if (!member.isReady) continue;
      const found = member.silence.look();
      const fields = { worker: member.worker };
      if (found === 'began') {
        this.#parts.log.error(fields, 'a worker is silent: it gets no new connections until it is heard again');
      } else if (found === 'dead') {
        this.#parts.log.error(fields, 'a worker stays silent: it is killed and replaced');
        member.kill();
      }
    }
  }

  #toAll(message: Parameters<CrewMember['send']>[0]): void {
    for (const member of this.#members) if (member.isReady) member.send(message);
  }

  #killAll(): void {
    for (const member of this.#members) member.kill();
  }
}
