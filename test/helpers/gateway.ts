import { systemClock } from '../../src/clock.ts';
import { loadText } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { createDataPort } from '../../src/gateway/data-port.ts';
import { openInflater } from '../../src/gateway/inflate.ts';
import { createIdentifier } from '../../src/identity/identify.ts';
import { createWorkloadMatcher } from '../../src/identity/workload.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { UpstreamStatus } from '../../src/ledger/upstream-status.ts';
import { Backlog } from '../../src/meter/backlog.ts';
import type { LocalCounting } from '../../src/meter/local-counting.ts';
import type { UsageRecord } from '../../src/meter/record.ts';
import { RequestMeter } from '../../src/meter/request-meter.ts';
import type { DegradeReason } from '../../src/wire/facts.ts';

const NO_FLAGS = { config: null, upstream: null, listen: null, admin: null, workers: null };
const GRACE_MS = 0;
const PATIENCE_MS = 10_000;

export interface GatewayOptions {
  /** Further top-level keys of the configuration. */
  config?: Record<string, unknown>;
  /** Replaces the meter's first step, to see what a fault of metering does. */
  openMeter?: () => RequestMeter;
  localCounting?: LocalCounting;
  /** Error logs are expected. */
  mayLogErrors?: boolean;
}

/** Keys of one upstream as in the configuration file. */
export type UpstreamKeys = { url: string; [key: string]: unknown };

/** A real data port with a real ledger and real meters behind it; fails the test on an error nobody expected. */
export class TestGateway implements AsyncDisposable {
  readonly records: UsageRecord[] = [];
  readonly degraded: DegradeReason[] = [];
  readonly usageAsks: string[] = [];
  readonly errors: string[] = [];
  readonly ledger: Ledger;
  readonly #backlog = new Backlog((work) => setTimeout(work, 50).unref());
  readonly dataPort: ReturnType<typeof createDataPort>;
  relayed = 0;
  port = 0;
  readonly #statuses = new Map<string, UpstreamStatus>();
  readonly #options: GatewayOptions;
  #onRecord: (() => void)[] = [];

  private constructor(config: Config, options: GatewayOptions) {
    const activity = { tokens() {}, spread() {}, worked() {}, phase() {} };
    this.#options = options;
    this.ledger = new Ledger({
      clock: systemClock,
      maxLabelSets: 200,
      maxModels: 100,
      activityOf: () => activity,
      backlog: this.#backlog,
    });
    const identify = createIdentifier(config.identity);
    this.dataPort = createDataPort({
      config,
      clock: systemClock,
      log: {
        error: (fields, message) => this.errors.push(`${message} ${JSON.stringify(fields)}`),
        warn: () => {},
      },
      statusOf: (upstream) => this.status(upstream),
      openMeter: (opening, dialect) =>
        options.openMeter?.() ??
        new RequestMeter(opening, {
          clock: systemClock,
          account: this.ledger.open(opening.upstream ?? 'unknown', opening.workload, opening.api),
          backlog: this.#backlog,
          dialect,
          eventBytes: config.limits.event_bytes,
          estimates: true,
          localCounting: options.localCounting ?? null,
          openDecoder: openInflater,
          worker: 0,
          instance: 'test',
          onFirstToken: () => {},
          onFinish: ({ record }) => this.#finished(record),
          onDegraded: (reason) => this.degraded.push(reason),
        }),
      identify: ({ headers, target }, bodyUser) => identify({ headers, target, bodyUser }),
      workloadOf: createWorkloadMatcher(config.workloads),
      relayDelay: {
        observe: () => {
          this.relayed += 1;
        },
      },
      onUsageAsk: (_upstream, result) => this.usageAsks.push(result),
      onDegraded: (reason) => this.degraded.push(reason),
    });
  }

  /** In front of one upstream, by its URL, or of several. */
  static async start(upstreams: string | UpstreamKeys | UpstreamKeys[], options: GatewayOptions = {}) {
    const gateway = new TestGateway(configOf(upstreams, options.config), options);
    const listen = await gateway.dataPort.listen();
    gateway.port = Number(listen.slice(listen.lastIndexOf(':') + 1));
    return gateway;
  }

  status(upstream = 'u0'): UpstreamStatus {
    const status = this.#statuses.get(upstream) ?? new UpstreamStatus(upstream, systemClock);
    this.#statuses.set(upstream, status);
    return status;
  }

  get statuses(): UpstreamStatus[] {
    return [...this.#statuses.values()];
  }

  /** The record with this number, from 0, in the order of their ends. */
  async record(number = 0): Promise<UsageRecord> {
    const deadlineMs = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = this.records[number];
      if (found !== undefined) return found;
      if (Date.now() > deadlineMs) throw new Error(`record ${number} never came`);
      await new Promise<void>((resolve) => {
        this.#onRecord.push(resolve);
        setTimeout(resolve, PATIENCE_MS).unref();
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dataPort.close(GRACE_MS);
    if (this.errors.length > 0 && !this.#options.mayLogErrors) throw new Error(`logged: ${this.errors.join('; ')}`);
    for (const { name, inFlight } of this.#statuses.values()) {
      if (inFlight !== 0) throw new Error(`${inFlight} requests to ${name} never ended`);
    }
  }

  #finished(record: UsageRecord): void {
    this.records.push(record);
    for (const wake of this.#onRecord.splice(0)) wake();
  }
}

export function configOf(
  upstreams: string | UpstreamKeys | UpstreamKeys[],
  more: Record<string, unknown> = {},
): Config {
  const list = typeof upstreams === 'string' ? [{ url: upstreams }] : [upstreams].flat();
  const file = {
    listen: '127.0.0.1:0',
    upstreams: list.map((upstream, index) => ({ name: `u${index}`, ...upstream })),
    ...more,
  };
  // JSON is YAML.
  const loaded = loadText('test.yaml', JSON.stringify(file), { flags: NO_FLAGS, env: {} });
  if (loaded.kind === 'faulty') throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}
