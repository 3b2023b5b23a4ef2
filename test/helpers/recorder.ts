import { loadText } from '../../src/config/load.ts';
import { NO_FLAGS } from '../../src/config/overrides.ts';
import type { Config } from '../../src/config/schema.ts';
import { Costs } from '../../src/cost/costs.ts';
import type { AllowedBySlo } from '../../src/curve/max-under-slo.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { UpstreamStatus } from '../../src/ledger/upstream-status.ts';
import { Throughput } from '../../src/live/throughput.ts';
import type { FinishedRequest } from '../../src/meter/finished.ts';
import type { SeriesLabels } from '../../src/meter/live-account.ts';
import type { UsageRecord } from '../../src/meter/record.ts';
import type { Format } from '../../src/metrics/accept.ts';
import { render } from '../../src/metrics/exposition.ts';
import type { MetricSet } from '../../src/metrics/metric-set.ts';
import { createRecorder, type Recorder } from '../../src/metrics/recorder.ts';
import { ManualClock } from './manual-clock.ts';
import { usageRecord } from './usage-record.ts';

export const LABELS: SeriesLabels = { upstream: 'default', model: 'tiny', workload: 'default' };

const ONE_UPSTREAM = 'upstreams: [ { name: default, url: "http://127.0.0.1:1", gpus: 2 } ]';

export function configOf(yaml: string = ONE_UPSTREAM): Config {
  const loaded = loadText('test.yaml', yaml, { flags: NO_FLAGS, env: {} });
  if (loaded.kind === 'faulty') throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

interface RecorderOptions {
  config?: Config;
  maxLabelSets?: number;
  maxModels?: number;
  /** What the operating curves allow. */
  allowedBySlo?: readonly AllowedBySlo[];
}

/** A recorder with a real ledger and real windows behind it, on a manual clock; ended with the test. */
export function newRecorder(options: RecorderOptions = {}) {
  const clock = new ManualClock();
  const config = options.config ?? configOf();
  const throughput = new Throughput();
  const ledger = new Ledger({
    clock,
    maxLabelSets: options.maxLabelSets ?? config.limits.max_label_sets,
    maxModels: options.maxModels ?? config.limits.max_models,
    activityOf: (upstream, model) => throughput.windowOf(upstream, model),
  });
  const statuses = config.upstreams.map(({ name }) => new UpstreamStatus(name, clock));
  const usageLog = { written: 0, dropped: 0 };
  const costs = new Costs({ clock, config, busyMs: () => statuses[0]?.busyMs() ?? 0 });
  const capacity = {
    gpuDollars: () => costs.gpuDollars(),
    referenceDollars: (upstream: string, model: string) => costs.referenceDollars(upstream, model),
    referencePrice: (model: string) => costs.priceOf(model),
    costPerMillion: (upstream: string) => costs.perMillion(upstream, throughput.total(upstream, 60, clock.nowMs())),
    allowedBySlo: () => options.allowedBySlo ?? [],
  };
  const recorder: Recorder = createRecorder({
    clock,
    config,
    ledger,
    throughput: () => throughput.readings(clock.nowMs()),
    statuses: () => statuses,
    capacity,
    usageLog: () => usageLog,
    build: { version: '1.2.3', commit: 'abc' },
  });
  const [status] = statuses;
  if (status === undefined) throw new Error('a recorder needs an upstream');
  return {
    clock,
    ledger,
    status,
    usageLog,
    costs,
    recorder,
    exposed: () => exposed(recorder.metrics),
    [Symbol.dispose]: () => recorder.stop(),
  };
}

export function finishedRequest(
  record: Partial<UsageRecord> = {},
  change: Partial<Omit<FinishedRequest, 'record'>> = {},
): FinishedRequest {
  return {
    record: usageRecord(record),
    labels: LABELS,
    endMs: 1_000_000,
    generation: true,
    gaps: null,
    slowClient: false,
    user: 'ada',
    ...change,
  };
}

export async function rendered(metrics: MetricSet, format: Format = 'text'): Promise<string> {
  let text = '';
  for await (const slice of render(await metrics.collect(), { format })) text += slice;
  return text;
}

/** Every sample of a scrape: `name{a="b",c="d"}` with its labels sorted → value. */
async function exposed(metrics: MetricSet): Promise<Map<string, number>> {
  const samples = new Map<string, number>();
  for (const line of (await rendered(metrics)).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', labels = '', value = ''] = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const sorted = [...labels.matchAll(/[^,=]+="(?:[^"\\]|\\.)*"/g)].map(([pair]) => pair).sort();
    const key = sorted.length > 0 ? `${name}{${sorted.join(',')}}` : name;
    if (samples.has(key)) throw new Error(`${key} is exposed twice`);
    samples.set(key, Number(value));
  }
  return samples;
}
