import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ruleFiles } from '../../scripts/rules/rule-files.ts';
import { anchorOf } from '../../scripts/rules/text.ts';
import { BURN_WINDOWS, burnRateOf } from '../../scripts/rules/windows.ts';
import { hasPrometheus, promtool } from '../helpers/prometheus.ts';
import { SHIPPED_ALERTS, SHIPPED_RECORDINGS, SHIPPED_RULES } from '../helpers/shipped-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RUNBOOK = readFileSync(join(ROOT, 'docs/RUNBOOK.md'), 'utf8');
/** Sections of the runbook by the anchor of their heading. */
const SECTIONS = new Map(
  RUNBOOK.split(/^## /m)
    .slice(1)
    .map((section) => [anchorOf(section.slice(0, section.indexOf('\n'))), section]),
);
const EACH_ALERT = SHIPPED_ALERTS.map((alert) => [alert.alert, alert] as const);

describe('the rule files', () => {
  it('are what their generator says now; npm run gen writes them', () => {
    expect(Object.fromEntries(SHIPPED_RULES)).toEqual(Object.fromEntries(ruleFiles()));
  });

  it('are clean for promtool', (test) => {
    if (!hasPrometheus) return test.skip('promtool is not installed');
    const files = [...SHIPPED_RULES.keys()].map((name) => join(ROOT, 'config/prometheus/rules', name));
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', ...files)).toMatchObject({ code: 0 });
  });

  it('name every alert and every recording once', () => {
    const names = [...SHIPPED_ALERTS.map(({ alert }) => alert), ...SHIPPED_RECORDINGS.map(({ record }) => record)];
    expect(names).toEqual([...new Set(names)]);
  });

  it('burn budgets at the rates of the Site Reliability Workbook', () => {
    expect(BURN_WINDOWS.map((window) => burnRateOf(window))).toEqual([14.4, 6, 3, 1]);
  });
});

describe('the Prometheus configuration', () => {
  it('loads the rules', (test) => {
    if (!hasPrometheus) return test.skip('promtool is not installed');
    const { code, output } = promtool('check', 'config', join(ROOT, 'config/prometheus/prometheus.yml'));
    expect(output).toContain(`${SHIPPED_RULES.size} rule files found`);
    expect(code).toBe(0);
  });
});

describe.each(EACH_ALERT)('%s', (name, { labels, annotations }) => {
  it('says whom it concerns, and in numbers what is the matter', () => {
    expect(labels['severity']).toMatch(/^(critical|warning|info)$/);
    expect(annotations['summary']).toMatch(/^\S.*\.$/);
    expect(annotations['description']).toMatch(/^\S.*\.$/s);
    expect(annotations['description']).toMatch(/\$value|\| query/);
  });

  it('leads to a section of the runbook that says what it means, what to look at and what to do', () => {
    const anchor = annotations['runbook_url']?.split('#')[1] ?? '';
    const section = SECTIONS.get(anchor) ?? '';
    expect(section).toContain(name);
    for (const part of ['**Means.**', '**Look at.**', '**Do.**']) expect(section).toContain(part);
  });

  it('leads to a dashboard that exists, with variables that it has', () => {
    const [, uid = '', query = ''] = /\/d\/([\w-]+)(?:\?(.*))?$/.exec(annotations['dashboard_url'] ?? '') ?? [];
    const file = join(ROOT, 'config/grafana/dashboards', `${uid}.json`);
    expect(existsSync(file)).toBe(true);
    const dashboard: { uid: string; templating: { list: { name: string }[] } } = JSON.parse(readFileSync(file, 'utf8'));
    const variables = dashboard.templating.list.map((variable) => variable.name);
    const asked = [...query.matchAll(/var-(\w+)=/g)].map(([, variable]) => variable);
    expect(dashboard.uid).toBe(uid);
    expect(asked.filter((variable) => !variables.includes(variable ?? ''))).toEqual([]);
  });
});

describe('docs/RUNBOOK.md', () => {
  it('names no alert that is not there', () => {
    const named = [...RUNBOOK.matchAll(/\bPitot[A-Z]\w+/g)].map(([alert]) => alert);
    const known = new Set(SHIPPED_ALERTS.map(({ alert }) => alert));
    expect(named.filter((alert) => !known.has(alert))).toEqual(['PitotSLOBurn']);
  });

  it('names no recording that is not there', () => {
    const named = [...RUNBOOK.matchAll(/\b[a-z]+:pitot_[\w:]+/g)].map(([recording]) => recording);
    const known = new Set(SHIPPED_RECORDINGS.map(({ record }) => record));
    expect(named.filter((recording) => !known.has(recording))).toEqual([]);
  });

  it('links to its own sections only where they are', () => {
    const linked = [...RUNBOOK.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor ?? '');
    expect(linked.filter((anchor) => !SECTIONS.has(anchor))).toEqual([]);
  });
});
