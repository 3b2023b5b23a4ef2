import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPrometheus, promtool } from '../helpers/prometheus.ts';
import { namesInPromql } from '../helpers/promql-names.ts';
import {
  SCENARIO_FILES,
  SCENARIO_FOLDER,
  SCENARIOS,
  type Scenario,
  SHIPPED_ALERTS,
  SHIPPED_RECORDINGS,
} from '../helpers/shipped-rules.ts';

const RECORDED = new Map(SHIPPED_RECORDINGS.map(({ record, expr }) => [record, expr]));

describe('the scenarios of the alerts', () => {
  it.for(SCENARIO_FILES)('%s: every alert fires and keeps quiet as it says', { timeout: 120_000 }, (name, test) => {
    if (!hasPrometheus) return test.skip('promtool is not installed');
    expect(promtool('test', 'rules', join(SCENARIO_FOLDER, name))).toMatchObject({ code: 0 });
  });
});

describe.each(SHIPPED_ALERTS.map((alert) => [alert.alert, alert] as const))('%s', (name, { expr }) => {
  const expectations = SCENARIOS.flatMap((scenario) =>
    (scenario.alert_rule_test ?? [])
      .filter(({ alertname }) => alertname === name)
      .map(({ exp_alerts }) => ({ scenario, exp_alerts })),
  );

  it('has a scenario in which it fires, with its texts', () => {
    const texts = expectations.flatMap(({ exp_alerts }) => exp_alerts.map(({ exp_annotations }) => exp_annotations));
    expect(texts).not.toEqual([]);
    for (const text of texts) {
      expect(Object.keys(text).sort()).toEqual(['dashboard_url', 'description', 'runbook_url', 'summary']);
      expect(JSON.stringify(text)).not.toMatch(/no value|unknown time|error expanding|\bunknown generations/);
    }
  });

  it('has one in which it keeps quiet, though all that it reads is there', () => {
    const read = metricsBehind(expr);
    const quiet = expectations.filter(({ exp_alerts }) => exp_alerts.length === 0);
    expect(quiet.some(({ scenario }) => has(scenario, read))).toBe(true);
  });
});

/** The exported metrics that an expression rests on, by way of recordings, too. */
function metricsBehind(expr: string): Set<string> {
  const found = new Set<string>();
  for (const { name } of namesInPromql(expr).metrics) {
    const recorded = RECORDED.get(name);
    if (recorded === undefined) found.add(name);
    else for (const behind of metricsBehind(recorded)) found.add(behind);
  }
  return found;
}

function has({ input_series }: Scenario, metrics: ReadonlySet<string>): boolean {
  return [...metrics].every((metric) => input_series.some(({ series }) => series.startsWith(`${metric}{`)));
}
