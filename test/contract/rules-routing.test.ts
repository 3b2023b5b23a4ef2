import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { amtool, hasAlertmanager } from '../helpers/alertmanager.ts';
import { SHIPPED_ALERTS } from '../helpers/shipped-rules.ts';

const FILE = join(resolve(import.meta.dirname, '../..'), 'config/alertmanager/alertmanager.yml');
const { inhibit_rules }: { inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[] } = parse(
  readFileSync(FILE, 'utf8'),
);

/** Where an alert with these labels goes. */
const ROUTES: readonly [labels: string, receiver: string][] = [
  ['alertname=PitotUpstreamDown severity=critical job=pitot upstream=vllm-a', 'on-call'],
  ['alertname=PitotSLOBurnFast severity=critical job=pitot workload=interactive slo=ttft', 'on-call'],
  ['alertname=PitotSLOBurnFast severity=critical job=pitot workload=batch slo=e2e', 'tickets'],
  ['alertname=PitotSLOBurnSlow severity=warning job=pitot workload=interactive slo=ttft', 'tickets'],
  ['alertname=PitotEventLoopLag severity=warning job=pitot instance=g0', 'tickets'],
  ['alertname=PitotLabelsOverflow severity=info job=pitot instance=g0 label=user', 'nobody'],
  ['alertname=PitotUpstreamDownHitsWorkload severity=info job=pitot upstream=vllm-a workload=batch', 'nobody'],
  ['alertname=SomethingElse', 'tickets'],
];

describe('the Alertmanager configuration', () => {
  it('is accepted by amtool', (test) => {
    if (!hasAlertmanager) return test.skip('amtool is not installed');
    const { code, output } = amtool('check-config', FILE);
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });

  it.for(ROUTES)('sends {%s} to %s', ([labels, receiver], test) => {
    if (!hasAlertmanager) return test.skip('amtool is not installed');
    const { code, output } = amtool(
      'config',
      'routes',
      'test',
      `--config.file=${FILE}`,
      `--verify.receivers=${receiver}`,
      ...labels.split(' '),
    );
    expect(output.split('\n')).toContain(receiver);
    expect(code).toBe(0);
  });

  it('names only alerts that exist', () => {
    const known = SHIPPED_ALERTS.map(({ alert }) => alert);
    const named = inhibit_rules
      .flatMap(({ source_matchers, target_matchers }) => [...source_matchers, ...target_matchers])
      .map((matcher) => /^alertname(?:!=|=~|=)"(.+)"$/.exec(matcher)?.[1] ?? matcher);
    expect(named.filter((name) => !known.some((alert) => new RegExp(`^(?:${name})$`).test(alert)))).toEqual([]);
  });
});
