import { RELAY_DELAY_SECONDS } from '../buckets.ts';
import type { MetricEntry } from './entry.ts';

const NONE = [] as const;

/** The gateway about itself: is what it says complete, and has it become part of what it measures. */
export const GATEWAY = {
  meterDegraded: {
    name: 'pitot_meter_degraded_total',
    type: 'counter',
    labels: ['reason'],
    addsUp: 'sum',
    unit: 'events or bodies',
    help: 'Metering gave up on an event or a body while the relay went on (CONTRACT 6.1).',
  },
  labelOverflow: {
    name: 'pitot_label_overflow_total',
    type: 'counter',
    labels: ['label'],
    addsUp: 'sum',
    unit: 'times',
    help: 'How often a label value beyond its cap was counted as other.',
  },
  usageRecords: {
    name: 'pitot_usage_records_total',
    type: 'counter',
    labels: NONE,
    addsUp: 'sum',
    unit: 'records',
    help: 'Usage records that reached the usage log (CONTRACT 8).',
  },
  usageRecordsDropped: {
    name: 'pitot_usage_records_dropped_total',
    type: 'counter',
    labels: NONE,
    addsUp: 'sum',
    unit: 'records',
    help: 'Usage records that did not reach the usage log: its disk failed or fell too far behind (CONTRACT 8).',
  },
  relayDelay: {
    name: 'pitot_relay_delay_seconds',
    type: 'histogram',
    labels: NONE,
    buckets: RELAY_DELAY_SECONDS,
    addsUp: 'sum',
    perWorker: 'workers',
    unit: 'seconds',
    help: 'Chunk read from the upstream to handed to the socket of the client: what the gateway itself adds.',
  },
  eventLoopLagP99: {
    name: 'pitot_event_loop_lag_p99_seconds',
    type: 'gauge',
    labels: NONE,
    addsUp: 'max',
    perWorker: 'every process',
    unit: 'seconds',
    help: 'How late the event loop turned to what was due, 99th percentile over the last 25 to 30 seconds; a scrape does not reset it.',
  },
  configReloadSuccessful: {
    name: 'pitot_config_last_reload_successful',
    type: 'gauge',
    labels: NONE,
    addsUp: 'none',
    unit: 'boolean',
    help: '1 when the configuration was last read without a fault, 0 when a faulty one was refused and the old one stayed.',
  },
  configReloadSuccessTime: {
    name: 'pitot_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: NONE,
    addsUp: 'none',
    unit: 'Unix time in seconds',
    help: 'When the configuration in force was read.',
  },
  memoryLimit: {
    name: 'pitot_memory_limit_bytes',
    type: 'gauge',
    labels: NONE,
    addsUp: 'none',
    unit: 'bytes',
    help: 'Memory this process may use: the limit of its control group, else what the machine has.',
  },
  buildInfo: {
    name: 'pitot_build_info',
    type: 'gauge',
    labels: ['version', 'commit', 'node'],
    addsUp: 'none',
    unit: 'always 1',
    help: 'What is running: version and commit of Pitot, version of Node.js.',
  },
} as const satisfies Record<string, MetricEntry>;
