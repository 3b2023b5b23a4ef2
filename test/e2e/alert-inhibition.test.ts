import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Alertmanager, hasAlertmanager } from '../helpers/alertmanager.ts';
import { tempDir } from '../helpers/temp-dir.ts';

if (!hasAlertmanager)
  process.stderr.write(
    'SKIPPED: no Alertmanager here (apt-get install prometheus-alertmanager); no alert is seen to keep another quiet\n',
  );

const CONFIG = new URL('../../config/alertmanager/alertmanager.yml', import.meta.url);
const A = { job: 'pitot', upstream: 'a' };
const B = { job: 'pitot', upstream: 'b' };
const TTFT = { job: 'pitot', workload: 'chat', slo: 'ttft' };

/** What fires, and what of it is told to nobody for that reason. */
const CASES: readonly { name: string; fires: Record<string, string>[]; quiet: Record<string, string>[] }[] = [
  {
    name: 'an upstream that is down explains its own failures and no others',
    fires: [
      { alertname: 'PitotUpstreamDown', ...A },
      { alertname: 'PitotUpstreamErrors', ...B, model: 'm' },
      { alertname: 'PitotSLOBurnFast', ...TTFT },
      { alertname: 'PitotThroughputBelowFloor', job: 'elsewhere', upstream: 'a' },
    ],
    quiet: [
      { alertname: 'PitotUpstreamErrors', ...A, model: 'm' },
      { alertname: 'PitotThroughputBelowFloor', ...A },
      { alertname: 'PitotStalled', ...A, model: 'm' },
    ],
  },
  {
    name: 'a workload that a dead upstream hits spends its budgets in silence, another does not',
    fires: [
      { alertname: 'PitotUpstreamDownHitsWorkload', ...A, workload: 'chat' },
      { alertname: 'PitotSLOBurnFast', ...TTFT, workload: 'agents' },
    ],
    quiet: [
      { alertname: 'PitotSLOBurnFast', ...TTFT },
      { alertname: 'PitotSLOBurnSlow', ...TTFT },
    ],
  },
  {
    name: 'the fastest burn of a budget speaks for the slower ones, of that budget only',
    fires: [
      { alertname: 'PitotSLOBurnMedium', ...TTFT },
      { alertname: 'PitotSLOBurnLeak', ...TTFT, slo: 'tpot' },
    ],
    quiet: [
      { alertname: 'PitotSLOBurnSlow', ...TTFT },
      { alertname: 'PitotSLOBurnLeak', ...TTFT },
    ],
  },
  {
    name: 'without any gateway, that is all there is to say',
    fires: [{ alertname: 'PitotTargetMissing' }, { alertname: 'NodeDiskFull', instance: 'g0' }],
    quiet: [
      { alertname: 'PitotTargetDown', job: 'pitot', instance: 'g0' },
      { alertname: 'PitotUpstreamDown', ...A },
      { alertname: 'PitotSLOBurnFast', ...TTFT },
    ],
  },
  {
    name: 'a gateway that is gone says nothing of itself, another does',
    fires: [
      { alertname: 'PitotTargetDown', job: 'pitot', instance: 'g0' },
      { alertname: 'PitotEventLoopLag', job: 'pitot', instance: 'g1' },
    ],
    quiet: [{ alertname: 'PitotEventLoopLag', job: 'pitot', instance: 'g0' }],
  },
  {
    name: 'a stall is below every floor, and a floor in every budget of it',
    fires: [
      { alertname: 'PitotStalled', ...A, model: 'm' },
      { alertname: 'PitotThroughputBelowFloor', ...B },
    ],
    quiet: [
      { alertname: 'PitotThroughputBelowFloor', ...A },
      { alertname: 'PitotThroughputBudgetBurn', ...B },
    ],
  },
];

describe.skipIf(!hasAlertmanager)('a real Alertmanager with the shipped configuration', () => {
  it.each(CASES)('$name', async ({ fires, quiet }) => {
    await using folder = await tempDir();
    await using alertmanager = await Alertmanager.configured(readFileSync(CONFIG, 'utf8'), folder.path);
    await alertmanager.fire([...fires, ...quiet]);
    const inState = async (state: string) =>
      (await alertmanager.held()).filter(({ status }) => status.state === state).map(({ labels }) => labels);
    await expect.poll(() => inState('unprocessed'), { timeout: 60_000 }).toEqual([]);
    await expect.poll(async () => sorted(await inState('active')), { timeout: 60_000 }).toEqual(sorted(fires));
    expect(sorted(await inState('suppressed'))).toEqual(sorted(quiet));
  });
});

function sorted(labelSets: readonly Record<string, string>[]): string[] {
  return labelSets.map((labels) => JSON.stringify(Object.entries(labels).sort())).sort();
}
