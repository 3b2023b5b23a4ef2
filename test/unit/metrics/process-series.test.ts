import { describe, expect, it } from 'vitest';
import { GATEWAY } from '../../../src/metrics/catalog/gateway.ts';
import { PROCESS } from '../../../src/metrics/catalog/process.ts';
import { MetricSet } from '../../../src/metrics/metric-set.ts';
import { ProcessSeries, reportOf } from '../../../src/metrics/process-series.ts';
import { rendered } from '../../helpers/recorder.ts';

const NO_TARGETS = { targets: { ttft: [], tpot: [], speed: [], gap: [], e2e: [] }, onRefused: () => {} };

/** What one process has of each kind: a histogram, a gauge, a counter. */
function processWith(numbers: { delays: number[]; lag: number; cpu: number }, processes: ProcessSeries | null = null) {
  const set = new MetricSet({ ...NO_TARGETS, processes });
  const delay = set.histogram(GATEWAY.relayDelay);
  const row = delay.row([]);
  for (const seconds of numbers.delays) delay.observe(row, seconds);
  set.live(GATEWAY.eventLoopLagP99, (emit) => emit([], numbers.lag));
  set.live(PROCESS.cpuSeconds, (emit) => emit([], numbers.cpu));
  set.live(GATEWAY.usageRecords, (emit) => emit([], 5));
  return set;
}

const reported = async (numbers: Parameters<typeof processWith>[0]) =>
  JSON.parse(JSON.stringify(reportOf(await processWith(numbers).collect())));

describe('metrics that every process has', () => {
  it('have no label where there is one process', async () => {
    const text = await rendered(processWith({ delays: [0.001], lag: 0.5, cpu: 7 }));
    expect(text).toContain('\npitot_relay_delay_seconds_count 1\n');
    expect(text).toContain('\nprocess_cpu_seconds_total 7\n');
    expect(text).not.toContain('worker=');
  });

  it('are told apart by worker; the first process relays nothing, and what is of the machine has no such label', async () => {
    const processes = new ProcessSeries();
    const set = processWith({ delays: [], lag: 0.1, cpu: 1 }, processes);
    processes.told('1', await reported({ delays: [0.001, 0.002], lag: 0.2, cpu: 2 }));
    processes.told('2', await reported({ delays: [0.003], lag: 0.3, cpu: 3 }));
    const text = await rendered(set);
    expect(text).toContain('pitot_relay_delay_seconds_count{worker="1"} 2\n');
    expect(text).toContain('pitot_relay_delay_seconds_count{worker="2"} 1\n');
    expect(text).not.toContain('pitot_relay_delay_seconds_count{worker="0"}');
    for (const [worker, lag] of [0.1, 0.2, 0.3].entries()) {
      expect(text).toContain(`pitot_event_loop_lag_p99_seconds{worker="${worker}"} ${lag}\n`);
    }
    expect(text).toContain('\npitot_usage_records_total 5\n');
  });

  it('go on from where they stood when a worker is replaced; its gauges are gone until it tells new ones', async () => {
    const processes = new ProcessSeries();
    const set = processWith({ delays: [], lag: 0.1, cpu: 1 }, processes);
    processes.told('1', await reported({ delays: [0.001, 0.002], lag: 0.2, cpu: 2 }));
    processes.ended('1');
    const between = await rendered(set);
    expect(between).toContain('pitot_relay_delay_seconds_count{worker="1"} 2\n');
    expect(between).toContain('process_cpu_seconds_total{worker="1"} 2\n');
    expect(between).not.toContain('pitot_event_loop_lag_p99_seconds{worker="1"}');
    processes.told('1', await reported({ delays: [0.004], lag: 0.4, cpu: 0.5 }));
    const after = await rendered(set);
    expect(after).toContain('pitot_relay_delay_seconds_count{worker="1"} 3\n');
    expect(after).toContain('pitot_relay_delay_seconds_sum{worker="1"} 0.007\n');
    expect(after).toContain('process_cpu_seconds_total{worker="1"} 2.5\n');
    expect(after).toContain('pitot_event_loop_lag_p99_seconds{worker="1"} 0.4\n');
  });

  it('are those of relaying and of the process', () => {
    const labelled = [...Object.values(GATEWAY), ...Object.values(PROCESS)].filter((entry) => 'perWorker' in entry);
    expect(labelled.map(({ name }) => name).filter((name) => name.startsWith('pitot_'))).toEqual([
      'pitot_relay_delay_seconds',
      'pitot_event_loop_lag_p99_seconds',
    ]);
    expect(labelled).toHaveLength(2 + Object.keys(PROCESS).length);
  });
});
