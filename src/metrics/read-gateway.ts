import type { Clock } from '../clock.ts';
import { DEGRADE_REASONS, type DegradeReason } from '../wire/facts.ts';
import { GATEWAY } from './catalog/gateway.ts';
import type { MetricSet } from './metric-set.ts';
import { memoryLimitBytes } from './process.ts';
import { type RelayRecording, recordRelay } from './record-relay.ts';
import { seconds } from './recording.ts';

/** Labels whose values are capped: model and label_set in the ledger, user and status here. */
export type OverflowCounts = Readonly<Record<string, number>>;

export interface GatewaySources {
  clock: Clock;
  overflow: () => OverflowCounts;
  /** Records that reached the usage log and records that did not. */
  usageLog: () => { readonly written: number; readonly dropped: number };
  build: { version: string; commit: string };
}

export interface GatewayRecording extends RelayRecording {
  degraded(reason: DegradeReason): void;
  configReloaded(isSuccessful: boolean): void;
}

/** The gateway about itself. */
export function recordGateway(set: MetricSet, sources: GatewaySources): GatewayRecording {
  readCounts(set, sources);
  set.live(GATEWAY.memoryLimit, (emit) => emit([], memoryLimitBytes()));
  set.live(GATEWAY.buildInfo, (emit) => emit([sources.build.version, sources.build.commit, process.version], 1));
  const degraded = set.counter(GATEWAY.meterDegraded);
  for (const reason of DEGRADE_REASONS) degraded.row([reason]);
  return {
    ...recordRelay(set, sources.clock),
    degraded: (reason) => degraded.add(degraded.row([reason]), 1),
    configReloaded: readReloads(set, sources.clock),
  };
}

function readCounts(set: MetricSet, { overflow, usageLog }: GatewaySources): void {
  set.live(GATEWAY.labelOverflow, (emit) => {
    for (const [label, count] of Object.entries(overflow())) emit([label], count);
  });
  set.live(GATEWAY.usageRecords, (emit) => emit([], usageLog().written));
  set.live(GATEWAY.usageRecordsDropped, (emit) => emit([], usageLog().dropped));
}

/** The configuration was read once to get here, so it begins successful. */
function readReloads(set: MetricSet, clock: Clock): GatewayRecording['configReloaded'] {
  let isLastSuccessful = true;
  let successEpochMs = clock.epochMs();
  set.live(GATEWAY.configReloadSuccessful, (emit) => emit([], Number(isLastSuccessful)));
  set.live(GATEWAY.configReloadSuccessTime, (emit) => emit([], seconds(successEpochMs)));
  return (isSuccessful) => {
    isLastSuccessful = isSuccessful;
    if (isSuccessful) successEpochMs = clock.epochMs();
  };
}
