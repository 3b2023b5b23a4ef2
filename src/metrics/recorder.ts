import type { Clock } from '../clock.ts';
import type { Config, UpstreamConfig, WorkloadConfig } from '../config/schema.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import type { FinishedSink, FirstTokenSink } from '../meter/finished.ts';
import { MetricSet, type Targets } from './metric-set.ts';
import { readProcess } from './process.ts';
import type { ProcessSeries } from './process-series.ts';
import { type CapacitySources, readCapacity } from './read-capacity.ts';
import { type GatewayRecording, type GatewaySources, recordGateway } from './read-gateway.ts';
import { readLedger } from './read-ledger.ts';
import { readThroughput, type ThroughputReading } from './read-throughput.ts';
import { readUpstreams, recordUsageAsks, type UsageAskResult } from './read-upstreams.ts';
import { readVerdicts } from './read-verdicts.ts';
import { recordExtraSpeeds, recordLatency } from './record-latency.ts';
import { recordOtel } from './record-otel.ts';
import { recordRequests } from './record-requests.ts';
import { recordTokens } from './record-tokens.ts';
import { recordUsers } from './record-users.ts';
import { type Recording, seconds } from './recording.ts';
import { SeenSets } from './seen-sets.ts';

/** What the recorder reads of the configuration. */
export type RecorderConfig = Pick<Config, 'upstreams' | 'workloads' | 'identity' | 'metrics' | 'limits'>;

export interface RecorderParts {
  clock: Clock;
  config: RecorderConfig;
  ledger: Ledger;
  /** The live gauges as they stand now. */
  throughput: () => Iterable<ThroughputReading>;
  statuses: () => Iterable<UpstreamStatus>;
  capacity: CapacitySources;
  usageLog: GatewaySources['usageLog'];
  build: GatewaySources['build'];
  /** Where there are several processes, what each tells of itself. */
  processes?: ProcessSeries | null;
}

/** Where the gateway tells what happened, and what /metrics is written from. */
export interface Recorder extends GatewayRecording {
  readonly finished: FinishedSink;
  readonly firstToken: FirstTokenSink;
  readonly metrics: MetricSet;
  usageAsk(upstream: string, result: UsageAskResult): void;
  /** A reloaded configuration. SLO targets become buckets at start only: a histogram keeps its bounds. */
  configure(config: RecorderConfig): void;
  /** Ends the sampling of the event loop and of garbage collections. */
  stop(): void;
}

export function createRecorder(parts: RecorderParts): Recorder {
  let { config } = parts;
  const overflow = { user: 0, status: 0 };
  const set = new MetricSet({
    targets: targetsOf(config.workloads),
    // A number that is not one is a fault of the meter: it stays out, and is counted.
    onRefused: () => gateway.degraded('meter_error'),
    processes: parts.processes ?? null,
  });
  set.beforeScrape(() => parts.ledger.catchUp());
  const configured = () => config.upstreams;
  const { recordings, users, firstToken } = recordRequestsOf(set, config, overflow);
  const otel = config.metrics.otel_names ? recordOtelOf(set, parts, configured) : null;
  if (otel !== null) recordings.push(otel);
  const counts = () => ({ ...parts.ledger.overflow, ...overflow, ...otel?.overflow });
  const { gateway, usageAsk } = recordGatewayOf(set, parts, { configured, overflow: counts });
  readVerdicts(set, parts.ledger, () => config.workloads);
  const stopProcess = config.metrics.process ? readProcess(set, parts.clock.epochMs()) : () => {};
  const seen = new SeenSets(recordings);
  set.beforeScrape(() => seen.running(parts.ledger.series()));

  return {
    ...gateway,
    metrics: set,
    firstToken,
    usageAsk,
    finished(finished) {
      seen.finished(finished);
      for (const recording of recordings) recording.finished(finished);
      users.finished(finished);
    },
    configure(next) {
      config = next;
      users.limit(next.identity.max_users);
      otel?.limit(next.limits);
    },
    stop() {
      gateway.stop();
      stopProcess();
    },
  };
}

/** How often a value of a label that is capped here was counted as `other`. */
interface Overflow {
  user: number;
  status: number;
}

/** What finished requests are observed into: a new group of metrics is one more line here. */
function recordRequestsOf(set: MetricSet, config: RecorderConfig, overflow: Overflow) {
  const countOverflow = (label: keyof Overflow) => () => {
    overflow[label] += 1;
  };
  const latency = recordLatency(set);
  const recordings: Recording[] = [recordTokens(set), recordRequests(set, countOverflow('status')), latency];
  if (config.metrics.extra) recordings.push(recordExtraSpeeds(set));
  const users = recordUsers(set, { maxUsers: config.identity.max_users, onOverflow: countOverflow('user') });
  return { recordings, users, firstToken: latency.firstToken };
}

/** What is read when a scrape asks, and what the gateway tells of itself. */
function recordGatewayOf(
  set: MetricSet,
  parts: RecorderParts,
  { configured, overflow }: { configured: () => readonly UpstreamConfig[]; overflow: GatewaySources['overflow'] },
) {
  const { clock, ledger, throughput, statuses, capacity, usageLog, build } = parts;
  readLedger(set, ledger, clock);
  readThroughput(set, { readings: throughput, configured });
  readUpstreams(set, { statuses, configured });
  readCapacity(set, { capacity, configured, models: () => ledger.models() });
  const usageAsk = recordUsageAsks(set, configured);
  return { gateway: recordGateway(set, { clock, overflow, usageLog, build }), usageAsk };
}

/** Finished requests under the OpenTelemetry names. */
function recordOtelOf(
  set: MetricSet,
  { config, statuses }: RecorderParts,
  configured: () => readonly UpstreamConfig[],
) {
  const engineOf = (upstream: string) => [...statuses()].find(({ name }) => name === upstream)?.engine ?? null;
  return recordOtel(set, { configured, engineOf }, config.limits);
}

/** The SLO targets of all workloads, each in the unit of its metric. */
function targetsOf(workloads: readonly WorkloadConfig[]): Targets {
  const slos = workloads.map(({ slo }) => slo);
  const inSeconds = (target: 'ttft' | 'tpot' | 'gap' | 'e2e') => slos.flatMap((slo) => slo[target] ?? []).map(seconds);
  return {
    ttft: inSeconds('ttft'),
    tpot: inSeconds('tpot'),
    gap: inSeconds('gap'),
    e2e: inSeconds('e2e'),
    speed: slos.flatMap((slo) => slo.speed ?? []),
  };
}
