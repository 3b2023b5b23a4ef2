import { describe, expect, it } from 'vitest';
import { OUTCOMES, PHASES, SLOS, USAGE_SOURCES } from '../../src/meter/record.ts';
import type { MetricEntry } from '../../src/metrics/catalog/entry.ts';
import { CATALOG } from '../../src/metrics/catalog.ts';
import { DEGRADE_REASONS } from '../../src/wire/facts.ts';
import { type Matcher, type MetricUse, type NamesInPromql, namesInPromql } from '../helpers/promql-names.ts';
import { SHIPPED_ALERTS, SHIPPED_RECORDINGS } from '../helpers/shipped-rules.ts';

/** What Prometheus adds to every series that it scrapes, and a series of its own. */
const TARGET_LABELS = ['job', 'instance'];
const OF_PROMETHEUS = new Map([['up', TARGET_LABELS]]);
const VALUES: Readonly<Record<string, readonly string[]>> = {
  outcome: OUTCOMES,
  phase: PHASES,
  slo: SLOS,
  source: USAGE_SOURCES,
  reason: DEGRADE_REASONS,
  verdict: ['good', 'bad'],
};

/** Every metric that can be read, and its labels. */
const READABLE = new Map([...OF_PROMETHEUS, ...CATALOG.flatMap(readable)]);
const RECORDED = new Set(SHIPPED_RECORDINGS.map(({ record }) => record));
const ALL_LABELS = new Set([...READABLE.values()].flat());

interface Expression {
  readonly of: string;
  readonly text: string;
}

/** Expressions of the rules, and the queries inside the texts of alerts. */
const EXPRESSIONS: readonly Expression[] = [
  ...SHIPPED_RECORDINGS.map(({ record, expr }) => ({ of: record, text: expr })),
  ...SHIPPED_ALERTS.flatMap(({ alert, expr, annotations }) => [
    { of: alert, text: expr },
    ...queriesIn(annotations['description'] ?? '').map((text) => ({ of: `${alert}, its description`, text })),
  ]),
];

/** `whose expression: what` for everything that a claim finds wrong in any of them. */
function wrong(claim: (names: NamesInPromql, text: string) => readonly string[]): string[] {
  return EXPRESSIONS.flatMap(({ of, text }) => claim(namesInPromql(text), text).map((what) => `${of}: ${what}`));
}

describe('what an expression reads', () => {
  it('is found among functions, groupings and durations', () => {
    const text =
      'sum by (a) (rate(m_total{b=~"x[0-9]|y{}",c="%q"}[5m:1m])) > on (d) clamp_max(2 * r:s:t, 1) and time() - up == 0';
    expect(namesInPromql(text)).toEqual({
      labels: ['a', 'd'],
      metrics: [
        {
          name: 'm_total',
          matchers: [
            { label: 'b', operator: '=~', value: 'x[0-9]|y{}' },
            { label: 'c', operator: '=', value: '%q' },
          ],
        },
        { name: 'r:s:t', matchers: [] },
        { name: 'up', matchers: [] },
      ],
    });
  });
});

describe('every expression of the rules', () => {
  it('reads metrics that are exported or recorded', () => {
    expect(wrong(({ metrics }) => (metrics.length === 0 ? ['nothing is read'] : []))).toEqual([]);
    const unknown = ({ name }: MetricUse) => !READABLE.has(name) && !RECORDED.has(name);
    expect(wrong(({ metrics }) => metrics.filter(unknown).map(({ name }) => name))).toEqual([]);
  });

  it('asks for labels that they have, and for values that come up', () => {
    const isWrong = (name: string, matcher: Matcher) =>
      !(READABLE.get(name) ?? [...ALL_LABELS]).includes(matcher.label) || !comesUp(matcher);
    const found = wrong(({ metrics }) =>
      metrics.flatMap(({ name, matchers }) =>
        matchers.filter((matcher) => isWrong(name, matcher)).map(({ label, value }) => `${name}{${label}="${value}"}`),
      ),
    );
    expect(found).toEqual([]);
    expect(wrong(({ labels }) => labels.filter((label) => !ALL_LABELS.has(label)))).toEqual([]);
  });

  it('knows no bucket by its bound, since Prometheus 3 writes 1 as 1.0', () => {
    const bounds = wrong(({ metrics }) =>
      metrics.flatMap(({ matchers }) => matchers.filter(({ label }) => label === 'le').map(({ value }) => value)),
    );
    expect(bounds).toEqual([]);
  });

  it('adds up only what adds up over replicas', () => {
    const others = CATALOG.filter(({ addsUp }) => addsUp !== 'sum').map(({ name }) => name);
    expect(wrong((_, text) => others.filter((name) => summed(name).test(text)))).toEqual([]);
  });

  it('takes no mean of quantiles', () => {
    const mean = /avg\w*\s*(by\s*\([^)]*\)\s*)?\(\s*(histogram_quantile|\w*_p99_)|quantile_over_time/;
    expect(wrong((_, text) => (mean.test(text) ? [text] : []))).toEqual([]);
  });

  it('reads what every replica says alike as their maximum', () => {
    const alike = CATALOG.filter(({ type, addsUp }) => type === 'gauge' && addsUp === 'max').map(({ name }) => name);
    const uses = (text: string, pattern: string) => text.match(new RegExp(pattern, 'g'))?.length ?? 0;
    const found = wrong((_, text) =>
      alike.filter((name) => uses(text, `\\b${name}\\b`) !== uses(text, `max( by \\([^)]*\\) )?\\(${name}\\b`)),
    );
    expect(found).toEqual([]);
  });
});

describe('the texts of every alert', () => {
  it('name labels that series have', () => {
    const found = SHIPPED_ALERTS.flatMap(({ alert, annotations }) =>
      Object.values(annotations).flatMap((text) =>
        [...text.matchAll(/\$labels\.(\w+)/g)]
          .map(([, label]) => label ?? '')
          .filter((label) => !ALL_LABELS.has(label))
          .map((label) => `${alert}: ${label}`),
      ),
    );
    expect(found).toEqual([]);
  });
});

function readable(entry: MetricEntry): [string, string[]][] {
  const own = [...TARGET_LABELS, ...entry.labels, ...(entry.perWorker === undefined ? [] : ['worker'])];
  if (entry.type !== 'histogram') return [[entry.name, own]];
  return [
    [`${entry.name}_bucket`, [...own, 'le']],
    [`${entry.name}_sum`, own],
    [`${entry.name}_count`, own],
  ];
}

function queriesIn(text: string): string[] {
  const formatted = [...text.matchAll(/printf `([^`]+)`/g)].map(([, query]) => query ?? '');
  const plain = [...text.matchAll(/query "([^"]+)"/g)].map(([, query]) => query ?? '');
  return [...formatted, ...plain];
}

function comesUp({ label, operator, value }: Matcher): boolean {
  const values = VALUES[label];
  const isAsWithAlert = value === '';
  if (values === undefined || isAsWithAlert) return true;
  const alternatives = operator.endsWith('~') ? value.split('|') : [value];
  return alternatives.every((one) => values.some((known) => new RegExp(`^(?:${one})$`).test(known)));
}

function summed(name: string): RegExp {
  return new RegExp(`sum( by \\([^)]*\\))? \\((rate\\(|increase\\()?${name}\\b`);
}
