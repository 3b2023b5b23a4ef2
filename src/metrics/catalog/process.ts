import { GC_SECONDS } from '../buckets.ts';
import type { MetricEntry } from './entry.ts';

const NONE = [] as const;

/**
 * The process, by the names that dashboards know. Our own, since prom-client's defaults are not clean
 * for `promtool check metrics`. Only with `metrics.process`.
 */
export const PROCESS = {
  cpuSeconds: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    labels: NONE,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'process',
    help: 'User and system CPU time of the process.',
  },
  residentMemory: {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    labels: NONE,
    addsUp: 'sum',
    unit: 'bytes',
    only: 'process',
    help: 'Resident memory of the process.',
  },
  startTime: {
    name: 'process_start_time_seconds',
    type: 'gauge',
    labels: NONE,
    addsUp: 'none',
    unit: 'Unix time in seconds',
    only: 'process',
    help: 'When the process started.',
  },
  openFds: {
    name: 'process_open_fds',
    type: 'gauge',
    labels: NONE,
    addsUp: 'sum',
    unit: 'file descriptors',
    only: 'process',
    help: 'Open file descriptors, sockets included; Linux only.',
  },
  maxFds: {
    name: 'process_max_fds',
    type: 'gauge',
    labels: NONE,
    addsUp: 'none',
    unit: 'file descriptors',
    only: 'process',
    help: 'Most file descriptors the process may have open; Linux only.',
  },
  heapTotal: {
    name: 'nodejs_heap_size_total_bytes',
    type: 'gauge',
    labels: NONE,
    addsUp: 'sum',
    unit: 'bytes',
    only: 'process',
    help: 'Size of the V8 heap.',
  },
  heapUsed: {
    name: 'nodejs_heap_size_used_bytes',
    type: 'gauge',
    labels: NONE,
    addsUp: 'sum',
    unit: 'bytes',
    only: 'process',
    help: 'Used part of the V8 heap.',
  },
  externalMemory: {
    name: 'nodejs_external_memory_bytes',
    type: 'gauge',
    labels: NONE,
    addsUp: 'sum',
    unit: 'bytes',
    only: 'process',
    help: 'Memory outside the V8 heap that objects on it hold: buffers, mostly.',
  },
  eventLoopActive: {
    name: 'nodejs_eventloop_active_seconds_total',
    type: 'counter',
    labels: NONE,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'process',
    help: 'Time in which the event loop was not waiting for events; its rate is the utilisation of the loop.',
  },
  gcDuration: {
    name: 'nodejs_gc_duration_seconds',
    type: 'histogram',
    labels: ['kind'],
    buckets: GC_SECONDS,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'process',
    help: 'Garbage collections by kind; the event loop stands still in each.',
  },
} as const satisfies Record<string, MetricEntry>;
