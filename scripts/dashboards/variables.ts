import type { MetricEntry } from '../../src/metrics/catalog/entry.ts';
import { GATEWAY } from '../../src/metrics/catalog/gateway.ts';
import { TOKENS } from '../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../src/metrics/catalog/upstreams.ts';
import { USERS } from '../../src/metrics/catalog/users.ts';
import { type Dashboard, panelsOf } from './panel.ts';

/** A variable whose values are those of a label. */
export interface LabelVariable {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** The metric that has the label for everything that was seen. */
  readonly metric: MetricEntry;
  /** One value at a time, and never all: what the panels add up by the other labels may repeat in another one. */
  readonly isSingle?: true;
}

const LABEL_VARIABLES: readonly LabelVariable[] = [
  {
    name: 'job',
    label: 'Job',
    description:
      'Scrape job of the gateways: one installation. One at a time, since two of them may call different engines by one name.',
    metric: GATEWAY.buildInfo,
    isSingle: true,
  },
  {
    name: 'upstream',
    label: 'Upstream',
    description: 'Inference server, as configured.',
    metric: UPSTREAMS.upstreamInfo,
  },
  { name: 'model', label: 'Model', description: 'Model, as its answers name it.', metric: TOKENS.outputTokens },
  { name: 'workload', label: 'Workload', description: 'Workload, as configured.', metric: TOKENS.outputTokens },
  { name: 'user', label: 'User', description: 'User, where it has a label of its own.', metric: USERS.userRequests },
];

/** Those that some query of the dashboard uses, and no other: an unused variable is a filter that lies. */
export function variablesOf(dashboard: Dashboard): LabelVariable[] {
  const exprs = panelsOf(dashboard).flatMap(({ queries }) => queries.map(({ expr }) => expr));
  return LABEL_VARIABLES.filter(({ name }) => exprs.some((expr) => new RegExp(`\\$${name}\\b`).test(expr)));
}

/** `label_values(...)`, narrowed by the variables before it that the metric has as labels. */
export function valuesQuery({ name, metric }: LabelVariable): string {
  const before = LABEL_VARIABLES.slice(
    0,
    LABEL_VARIABLES.findIndex((variable) => variable.name === name),
  );
  const narrowing = before.filter(({ name: earlier }) => earlier === 'job' || metric.labels.includes(earlier));
  const matchers = narrowing.map(({ name: earlier }) => `${earlier}=~"$${earlier}"`).join(',');
  return `label_values(${metric.name}${matchers === '' ? '' : `{${matchers}}`}, ${name})`;
}
