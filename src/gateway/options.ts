import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Workload } from '../identity/workload.ts';
import type { UpstreamEvents } from '../ledger/upstream-status.ts';
import type { RequestOpening } from '../meter/opening.ts';
import type { RequestMeter } from '../meter/request-meter.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import type { DegradeReason, Dialect } from '../wire/facts.ts';

/** What a request says of who sent it, before its body is read. */
export interface RequestHead {
  headers: IncomingHttpHeaders;
  /** The request target as it was sent, query included (some keys travel there). Never to be logged. */
  target: string;
}

/** Takes how long each relayed chunk was in our hands, in milliseconds. */
export interface RelayDelay {
  observe(ms: number): void;
}

/** The part of a pino logger that the gateway uses. Neither heads nor bodies are ever given to it. */
export interface GatewayLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What the data port needs from the house around it. */
export interface DataPortOptions {
  config: Config;
  clock: Clock;
  log: GatewayLog;
  statusOf(upstream: string): UpstreamEvents;
  /** Begins the metering of one request. `dialect` is null where only bytes are counted. */
  openMeter(opening: RequestOpening, dialect: Dialect | null): RequestMeter;
  /** Who asked; `bodyUser` is the body's `user`, null while or where it says none. */
  identify(head: RequestHead, bodyUser: string | null): string | null;
  workloadOf(headers: IncomingHttpHeaders): Workload;
  relayDelay: RelayDelay;
  /** What came of asking an upstream for usage (CONTRACT §6.6). */
  onUsageAsk(upstream: string, result: UsageAskResult): void;
  /** Metering gave up on something; the relay went on. */
  onDegraded(reason: DegradeReason): void;
}
