import { describe, expect, it } from 'vitest';
import type { GrafanaDashboard, GrafanaPanel } from '../../../scripts/dashboards/lint/grafana-json.ts';
import { RULES } from '../../../scripts/dashboards/lint/rules.ts';

const SOURCE = { type: 'prometheus', uid: '$' + '{datasource}' };
const GOOD = 'sum(rate(pitot_output_tokens_total{job=~"$job"}[$__rate_interval]))';

const BELOW = { x: 0, y: 8, w: 24, h: 8 };

function panel(changes: Partial<GrafanaPanel> & { expr?: string } = {}): GrafanaPanel {
  const { expr = GOOD, ...rest } = changes;
  return {
    id: 1,
    type: 'timeseries',
    title: 'Throughput',
    description: 'Output tokens per second of everything. When it is bad: look at the engine.',
    datasource: SOURCE,
    gridPos: { x: 0, y: 0, w: 24, h: 8 },
    targets: [{ refId: 'A', expr, legendFormat: 'all', datasource: SOURCE }],
    fieldConfig: { defaults: { unit: 'tok/s' } },
    ...rest,
  };
}

function dashboard(panels: readonly GrafanaPanel[], changes: Partial<GrafanaDashboard> = {}): GrafanaDashboard {
  const list = [
    { name: 'datasource', type: 'datasource', query: 'prometheus' },
    { name: 'job', type: 'query', query: 'label_values(pitot_build_info, job)', datasource: SOURCE },
  ];
  return {
    uid: 'pitot-test',
    title: 'Test',
    description: 'A question.',
    tags: ['pitot'],
    editable: false,
    panels,
    templating: { list },
    annotations: { list: [] },
    ...changes,
  };
}

const faultsOf = (one: GrafanaDashboard) => RULES.filter(([, rule]) => rule(one).length > 0).map(([says]) => says);
const of = (expr: string) => faultsOf(dashboard([panel({ expr })]));

it('a dashboard without a fault breaks no rule', () => {
  expect(faultsOf(dashboard([panel()]))).toEqual([]);
});

describe('a rule fires', () => {
  it.each<[string, GrafanaDashboard, string]>([
    [
      'on a panel with a data source of its own',
      dashboard([panel({ datasource: { uid: 'abc' } })]),
      'takes its data source',
    ],
    [
      'on a query with a data source of its own',
      dashboard([panel({ targets: [{ refId: 'A', expr: GOOD, legendFormat: 'x', datasource: { uid: 'abc' } }] })]),
      'takes its data source',
    ],
    ['on a panel without a title', dashboard([panel({ title: '' })]), 'says of every panel'],
    ['on a panel without a description', dashboard([panel({ description: 'Tokens.' })]), 'says of every panel'],
    ['on a panel without a unit', dashboard([panel({ fieldConfig: { defaults: {} } })]), 'says of every panel'],
    [
      'on a panel without a query',
      dashboard([panel(), panel({ id: 2, title: 'b', targets: [], gridPos: BELOW })]),
      'says of every panel',
    ],
    ['on an id that is there twice', dashboard([panel(), panel({ title: 'b', gridPos: BELOW })]), 'has ids'],
    ['on panels that overlap', dashboard([panel(), panel({ id: 2, title: 'b' })]), 'fills the grid'],
    ['on a hole in the grid', dashboard([panel({ gridPos: { x: 0, y: 0, w: 23, h: 8 } })]), 'fills the grid'],
    ['on a panel outside the grid', dashboard([panel({ gridPos: { x: 1, y: 0, w: 24, h: 8 } })]), 'fills the grid'],
    ['on a dashboard that can be edited', dashboard([panel()], { editable: true }), 'is found by its tag'],
    [
      'on a variable that filters nothing',
      dashboard([panel({ expr: 'sum(rate(pitot_output_tokens_total{}[$__rate_interval]))' })]),
      'uses every variable',
    ],
    [
      'on a variable that is not there',
      dashboard([panel({ expr: 'sum(rate(pitot_output_tokens_total{job=~"$job",model=~"$model"}[$__range]))' })]),
      'uses every variable',
    ],
  ])('%s', (_case, broken, says) => {
    expect(faultsOf(broken)).toEqual([expect.stringContaining(says)]);
  });

  const M = 'pitot_output_tokens_total{job=~"$job"}';
  const B = 'pitot_time_to_first_token_seconds_bucket{job=~"$job"}';
  it.each([
    ['a fixed window', `sum(rate(${M}[2m]))`, 'takes rates over'],
    [
      'a mean of quantiles',
      `avg(histogram_quantile(0.9, sum by (le) (rate(${B}[$__rate_interval]))))`,
      'works on no quantile',
    ],
    [
      'a quantile times something',
      `2 * histogram_quantile(0.9, sum by (le) (rate(${B}[$__rate_interval])))`,
      'works on no quantile',
    ],
    ['a quantile over time', `quantile_over_time(0.9, sum(${M})[$__range:])`, 'works on no quantile'],
    ['an open division', `sum(rate(${M}[$__range])) / sum(rate(${M}[$__range]))`, 'divides by nothing'],
    ['an open division with on', `sum by (model) (${M}) / on (model) (sum by (model) (${M}))`, 'divides by nothing'],
    ['a guard inside, not around', `sum(${M}) / (sum(${M} > 0) + 1)`, 'divides by nothing'],
    ['a metric that is not there', 'sum(pitot_tokens_total{job=~"$job"})', 'reads only metrics'],
    ['a label that is not there', 'sum(pitot_output_tokens_total{job=~"$job",slo="all"})', 'reads only metrics'],
    ['a sum of configured values', 'sum(pitot_upstream_gpus{job=~"$job"})', 'adds nothing up'],
    ['a bare configured value', 'pitot_upstream_gpus{job=~"$job"}', 'adds nothing up'],
    ['a sum of what has none', 'sum(pitot_slo_max_concurrency{job=~"$job"})', 'adds nothing up'],
    [
      'a literal bucket',
      'sum(rate(pitot_time_to_first_token_seconds_bucket{job=~"$job",le="1"}[$__range]))',
      'names no bucket',
    ],
  ])('on %s', (_case, expr, says) => {
    expect(of(expr)).toEqual([expect.stringContaining(says)]);
  });
});

describe('a rule keeps quiet', () => {
  const M = 'pitot_output_tokens_total{job=~"$job"}';
  it.each([
    ['over a guarded division', `sum(rate(${M}[$__range])) / (sum(rate(${M}[$__range])) > 0)`],
    ['over a division by a number', `sum(${M}) / 3600`],
    ['over configured values, read once', 'sum(max by (upstream) (pitot_upstream_gpus{job=~"$job"}))'],
    [
      'over a rate of what every replica says',
      'max by (upstream) (rate(pitot_gpu_cost_dollars_total{job=~"$job"}[$__range]))',
    ],
    ['over a label value with a slash', 'sum(pitot_output_tokens_total{job=~"$job",model="meta / llama"})'],
  ])('%s', (_case, expr) => {
    expect(of(expr)).toEqual([]);
  });
});
