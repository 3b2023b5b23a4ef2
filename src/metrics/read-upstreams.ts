import type { UpstreamConfig } from '../config/schema.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import { UPSTREAMS } from './catalog/upstreams.ts';
import type { MetricSet } from './metric-set.ts';
import { seconds, secondsOrNull } from './recording.ts';

export interface UpstreamSources {
  statuses: () => Iterable<UpstreamStatus>;
  /** As configured now: a reload may change them. */
  configured: () => readonly UpstreamConfig[];
}

/** What is known of the upstreams, and what the configuration says of them. */
export function readUpstreams(set: MetricSet, { statuses, configured }: UpstreamSources): void {
  set.live(UPSTREAMS.upstreamUp, (emit) => {
    for (const status of statuses()) emit([status.name], status.up === null ? null : Number(status.up));
  });
  set.live(UPSTREAMS.upstreamLastSuccess, (emit) => {
    for (const status of statuses()) emit([status.name], secondsOrNull(status.lastSuccessEpochMs));
  });
  set.live(UPSTREAMS.upstreamLastFailure, (emit) => {
    for (const status of statuses()) emit([status.name], secondsOrNull(status.lastFailureEpochMs));
  });
  set.live(UPSTREAMS.upstreamBusySeconds, (emit) => {
    for (const status of statuses()) emit([status.name], seconds(status.busyMs()));
  });
  set.live(UPSTREAMS.clientBlockedSeconds, (emit) => {
    for (const status of statuses()) emit([status.name], seconds(status.clientBlockedMs));
  });
  set.live(UPSTREAMS.upstreamInfo, (emit) => {
    const shown = new Map(Array.from(statuses(), ({ name, engine }) => [name, engine]));
    for (const { name, engine, conditions } of configured()) {
      emit([name, engine === 'auto' ? (shown.get(name) ?? engine) : engine], 1, conditions);
    }
  });
  set.live(UPSTREAMS.upstreamGpus, (emit) => {
    for (const { name, gpus } of configured()) emit([name], gpus);
  });
}

/** What came of asking an upstream for usage (CONTRACT §6.6). */
export const USAGE_ASK_RESULTS = ['answered', 'refused', 'ignored', 'compressed'] as const;
export type UsageAskResult = (typeof USAGE_ASK_RESULTS)[number];

/** Counts what came of asking for usage; every configured upstream starts at 0. */
export function recordUsageAsks(
  set: MetricSet,
  configured: UpstreamSources['configured'],
): (upstream: string, result: UsageAskResult) => void {
  const asks = set.counter(UPSTREAMS.usageAsks);
  set.beforeScrape(() => {
    for (const { name } of configured()) for (const result of USAGE_ASK_RESULTS) asks.row([name, result]);
  });
  return (upstream, result) => asks.add(asks.row([upstream, result]), 1);
}
