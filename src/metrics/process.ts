import { readdir, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { PROCESS } from './catalog/process.ts';
import type { MetricSet } from './metric-set.ts';
import { seconds } from './recording.ts';

/** Bytes this process may use. Where no control group limits it, Node tells a number beyond all memory, or 0. */
export function memoryLimitBytes(
  constrainedBytes: number = process.constrainedMemory(),
  totalBytes: number = totalmem(),
): number {
  return constrainedBytes > 0 && constrainedBytes < totalBytes ? constrainedBytes : totalBytes;
}

/** The process and its runtime. Returns what ends the watching of garbage collections. */
export function readProcess(set: MetricSet, epochMs: number): () => void {
  const startSeconds = seconds(epochMs) - process.uptime();
  set.live(PROCESS.cpuSeconds, (emit) => {
    const { user, system } = process.cpuUsage();
    emit([], (user + system) / 1e6);
  });
  set.live(PROCESS.residentMemory, (emit) => emit([], process.memoryUsage.rss()));
  set.live(PROCESS.startTime, (emit) => emit([], startSeconds));
  readFileDescriptors(set);
  set.live(PROCESS.heapTotal, (emit) => emit([], process.memoryUsage().heapTotal));
  set.live(PROCESS.heapUsed, (emit) => emit([], process.memoryUsage().heapUsed));
  set.live(PROCESS.externalMemory, (emit) => emit([], process.memoryUsage().external));
  set.live(PROCESS.eventLoopActive, (emit) => emit([], seconds(performance.eventLoopUtilization().active)));
  return watchCollections(set);
}

/** From /proc, off the event loop's thread: with a thousand streams the list is long. Elsewhere absent. */
function readFileDescriptors(set: MetricSet): void {
  let open: number | null = null;
  let most: number | null = null;
  set.beforeScrape(async () => {
    open = await readdir('/proc/self/fd').then(
      (names) => names.length,
      () => null,
    );
    most ??= await readFile('/proc/self/limits', 'utf8').then(maxOpenFiles, () => null);
  });
  set.live(PROCESS.openFds, (emit) => emit([], open));
  set.live(PROCESS.maxFds, (emit) => emit([], most));
}

/** The soft limit; null when there is none. */
export function maxOpenFiles(limits: string): number | null {
  const found = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return found === undefined ? null : Number(found);
}

const COLLECTION_KINDS = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function watchCollections(set: MetricSet): () => void {
  const duration = set.histogram(PROCESS.gcDuration);
  for (const kind of COLLECTION_KINDS.values()) duration.row([kind]);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = COLLECTION_KINDS.get(kindOf(entry));
      if (kind !== undefined) duration.observe(duration.row([kind]), seconds(entry.duration));
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

function kindOf(entry: object): unknown {
  const detail = 'detail' in entry ? entry.detail : null;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : null;
}
