import { fileURLToPath } from 'node:url';
import type { BuildInfo } from './build-info.ts';
import type { Clock } from './clock.ts';
import { isOpenToEveryone } from './config/check.ts';
import type { Config } from './config/schema.ts';
import { createAdminPort } from './gateway/admin.ts';
import { createDataPort } from './gateway/data-port.ts';
import { readPage } from './gateway/page-files.ts';
import type { Relay } from './gateway/relay.ts';
import { Instruments } from './instruments.ts';
import { Broadcast } from './live/broadcast.ts';
import type { Snapshot } from './live/snapshot-type.ts';
import { usersJson } from './live/users.ts';
import type { Log } from './log.ts';
import { answerPlanQuery } from './plan/plan-query.ts';
import { type Settings, settingsOf } from './settings.ts';
import { ConfiguredUsageLog } from './usage-log/usage-log.ts';
import { Crew } from './workers/crew.ts';

export interface AppParts {
  clock: Clock;
  log: Log;
  build: BuildInfo;
  /** Upstream and load are made up here, and it is said wherever figures are shown. */
  simulation?: boolean;
}

/** A running gateway. */
export interface App {
  /** The real ports, as HOST:PORT. */
  readonly listen: string;
  readonly admin: string;
  snapshot(): Snapshot;
  /** Takes effect for the next request; listeners and workers stay as they are. Throws, changing nothing, when refused. */
  reload(config: Config): void;
  /** A configuration that was refused: the old one stays, and it is counted. */
  reloadFailed(): void;
  /** Readiness off, `shutdown_delay` served, streams finish within `shutdown_grace`, the log is flushed (CONTRACT §2). */
  shutdown(): Promise<void>;
}

/** Puts the rooms together. Rejects with the system's error when a port cannot be opened. */
export async function startApp(config: Config, parts: AppParts): Promise<App> {
  const house = new House(config, parts);
  try {
    return await house.open();
  } catch (error) {
    await house.close();
    throw error;
  }
}

class House {
  readonly #parts: AppParts;
  readonly #records = { written: 0, dropped: 0 };
  readonly #instruments: Instruments;
  readonly #relay: Relay;
  readonly #adminPort: ReturnType<typeof createAdminPort>;
  /** As configured at the start: a reload moves no listener. */
  readonly #adminListen: string;
  readonly #usageLog: ConfiguredUsageLog;
  #settings: Settings;
  #isDraining = false;

  constructor(config: Config, parts: AppParts) {
    this.#parts = parts;
    this.#settings = settingsOf(config);
    this.#adminListen = config.admin.listen;
    this.#usageLog = this.#openUsageLog(config);
    this.#instruments = new Instruments(config, {
      ...parts,
      simulation: parts.simulation ?? false,
      isDraining: () => this.#isDraining,
      usageLog: () => this.#records,
      onFinished: ({ record }) => this.#usageLog.write(record),
    });
    this.#relay = config.workers > 1 ? this.#createCrew(config) : this.#createDataPort(config);
    this.#adminPort = this.#createAdminPort(config);
  }

  async open(): Promise<App> {
    const admin = await this.#adminPort.listen();
    const listen = await this.#relay.listen();
    return {
      listen,
      admin,
      snapshot: () => this.#instruments.view.snapshot(),
      reload: (config) => this.#reload(config),
      reloadFailed: () => this.#instruments.recorder.configReloaded(false),
      shutdown: () => this.#shutdown(),
    };
  }

  async close(): Promise<void> {
    await this.#relay.close(0);
    await this.#instruments.close();
    await this.#usageLog.close();
    await this.#adminPort.close();
  }

  /** The admin port answers to the end, so that the drain can be watched. */
  async #shutdown(): Promise<void> {
    const { shutdown_delay: delayMs, shutdown_grace: graceMs } = this.#settings.config;
    this.#isDraining = true;
    this.#relay.startDraining();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    await this.#relay.close(graceMs);
    await this.close();
  }

  #reload(config: Config): void {
    // What may refuse comes first, so that a refusal changes nothing.
    if (isOpenToEveryone(this.#adminListen, config.admin))
      throw new Error(`expected admin.token or "public: true": until a restart the admin port is ${this.#adminListen}`);
    this.#relay.replaceConfig(config);
    this.#settings = settingsOf(config);
    this.#instruments.configure(config);
    this.#parts.log.logger.level = config.log.level;
    this.#usageLog.configure(config.usage_log);
    this.#instruments.recorder.configReloaded(true);
  }

  #createCrew(config: Config): Relay {
    const { clock, log } = this.#parts;
    return new Crew(config, { clock, log: log.logger, ear: this.#instruments.createEar() });
  }

  #createDataPort(config: Config): Relay {
    const instruments = this.#instruments;
    return createDataPort({
      config,
      clock: this.#parts.clock,
      log: this.#parts.log.logger,
      statusOf: (upstream) => instruments.statusOf(upstream),
      openMeter: (opening, dialect) => instruments.openMeter(opening, dialect),
      identify: ({ headers, target }, bodyUser) => this.#settings.identify({ headers, target, bodyUser }),
      workloadOf: (headers) => this.#settings.workloadOf(headers),
      relayDelay: { observe: instruments.recorder.relayDelay },
      onUsageAsk: (upstream, result) => instruments.usageAsk(upstream, result),
      onDegraded: (reason) => instruments.degraded(reason),
    });
  }

  #createAdminPort(config: Config): ReturnType<typeof createAdminPort> {
    return createAdminPort({
      listen: config.admin.listen,
      token: () => this.#settings.config.admin.token,
      isPublic: () => this.#settings.config.admin.public,
      metrics: this.#instruments.recorder.metrics,
      page: readPage(pageFolder()),
      news: this.#createBroadcast(),
      readiness: () => (this.#isDraining ? { ready: false, reason: 'the gateway is shutting down' } : { ready: true }),
      snapshot: () => this.#instruments.view.snapshot(),
      operatingCurve: () => this.#instruments.capacity.operatingCurve(),
      plan: (query) => answerPlanQuery(query, (ask) => this.#instruments.capacity.plan(ask)),
      users: () => usersJson(this.#instruments.view.users),
      log: this.#parts.log.logger,
    });
  }

  #createBroadcast(): Broadcast {
    const { view, liveClock } = this.#instruments;
    return new Broadcast({
      clock: liveClock,
      snapshot: () => view.snapshot(),
      points: (range) => view.points(range),
      timer: (ms, tick) => {
        const timer = setTimeout(tick, ms);
        return () => clearTimeout(timer);
      },
      onFault: (error) => this.#parts.log.logger.error({ err: error }, 'the live view could not be told'),
    });
  }

  #openUsageLog(config: Config): ConfiguredUsageLog {
    const { clock, log } = this.#parts;
    return new ConfiguredUsageLog(config.usage_log, {
      clock,
      reporter: log.logger,
      counters: this.#records,
      stdoutLine: (line) => log.line(line),
    });
  }
}

/** Where the build puts the live page; there is none beside the sources. */
function pageFolder(): string | null {
  return import.meta.url.endsWith('.ts') ? null : fileURLToPath(new URL('./page/', import.meta.url));
}
