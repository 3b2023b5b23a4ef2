import type { MetricEntry } from '../../../src/metrics/catalog/entry.ts';
import { GATEWAY } from '../../../src/metrics/catalog/gateway.ts';
import { PROCESS } from '../../../src/metrics/catalog/process.ts';
import type { Panel, Row } from '../panel.ts';
import { max, over, rate, selected, sum } from '../promql.ts';

const INSTANCE = ['instance'] as const;

/** Seconds since a moment of each instance, beside its version. */
function ofBuild(moment: MetricEntry): string {
  const build = max(selected(GATEWAY.buildInfo), ['instance', 'version', 'commit', 'node']);
  return `${build} * on (instance) group_left () (time() - min by (instance) (${selected(moment)}))`;
}

const RESOURCES: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'CPU of the gateway',
    unit: 'count',
    width: 6,
    height: 7,
    formula: 'CPU seconds per second of all processes of an instance: cores in use',
    description: 'One worker can use one core; collections and the local tokenizer take a little more.',
    whenBad: 'Near the number of workers: raise `workers` before latency tells you.',
    queries: [{ expr: sum(rate(PROCESS.cpuSeconds), INSTANCE), legend: '{{instance}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Event loop in use',
    unit: 'ratio',
    width: 6,
    height: 7,
    most: 1,
    formula: 'time in which the event loop was not waiting for events ÷ time, of the busiest process of an instance',
    description: 'The head room of the relay. Garbage collection is inside.',
    whenBad: 'Over 70 %: lag follows. Raise `workers`.',
    queries: [
      { expr: `clamp_max(${max(rate(PROCESS.eventLoopActive), INSTANCE)}, 1)`, legend: '{{instance}}' },
      {
        expr: `clamp_max(${sum(rate(PROCESS.gcDuration, {}, '_sum'), INSTANCE)}, 1)`,
        legend: 'collecting {{instance}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Memory, of its limit',
    unit: 'ratio',
    width: 6,
    height: 7,
    formula: 'resident memory of all processes of an instance ÷ the limit of its control group',
    description: 'What counts for the out-of-memory killer.',
    whenBad: 'Rises without end: report it. Near 100 %: lower `limits.body_buffer_total`, or raise the limit.',
    queries: [
      {
        expr: over(
          sum(selected(PROCESS.residentMemory), INSTANCE),
          max(selected(GATEWAY.memoryLimit), INSTANCE),
          INSTANCE,
        ),
        legend: '{{instance}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'File descriptors, of their limit',
    unit: 'ratio',
    width: 6,
    height: 7,
    formula: 'open file descriptors ÷ the most a process may open, of the fullest process of an instance',
    description: 'Each request in flight holds two sockets.',
    whenBad: 'Over 80 %: raise the limit (`ulimit -n`), or new connections are refused.',
    queries: [
      {
        expr: `max by (instance) (${selected(PROCESS.openFds)} / (${selected(PROCESS.maxFds)} > 0))`,
        legend: '{{instance}}',
      },
    ],
  },
];

const IDENTITY: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Values beyond a cap',
    unit: 'eventsPerSecond',
    width: 8,
    height: 6,
    formula: 'times per second that a label value beyond its cap was counted as `other`',
    description: 'By label. Nothing is lost from totals, but it is no longer told apart.',
    whenBad: 'Raise `limits` or `identity.max_users` if these values are real; else find who invents them.',
    queries: [{ expr: sum(rate(GATEWAY.labelOverflow), ['label']), legend: '{{label}}' }],
  },
  {
    kind: 'state',
    title: 'Configuration',
    unit: 'boolean',
    width: 8,
    height: 6,
    words: { zero: 'refused', one: 'in force', isOneGood: true },
    formula: '1 when the configuration was last read without a fault, 0 when a faulty one was refused',
    description: 'After a refusal the old configuration stays in force.',
    whenBad: 'Run `pitot check-config` on the file: it says every fault with its line.',
    queries: [{ expr: `min by (instance) (${selected(GATEWAY.configReloadSuccessful)})`, legend: '{{instance}}' }],
  },
  {
    kind: 'table',
    title: 'What is running',
    unit: 'age',
    width: 8,
    height: 6,
    hidden: ['job'],
    columns: [
      { title: 'up for', unit: 'age' },
      { title: 'configuration read', unit: 'age' },
    ],
    formula: 'version, commit and Node.js of each instance; now − its start; now − the reading of its configuration',
    description:
      'Instances that differ in version count the same things the same way only if the CHANGELOG says nothing.',
    whenBad: 'A short time up that nobody caused: it was restarted; look at its last log lines.',
    queries: [
      { expr: ofBuild(PROCESS.startTime), legend: '{{instance}}' },
      { expr: ofBuild(GATEWAY.configReloadSuccessTime), legend: '{{instance}}' },
    ],
  },
];

export const GATEWAY_PROCESS: Row = { title: 'The gateway itself', panels: [...RESOURCES, ...IDENTITY] };
