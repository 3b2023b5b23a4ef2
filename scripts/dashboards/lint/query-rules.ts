import type { MetricEntry } from '../../../src/metrics/catalog/entry.ts';
import { CATALOG } from '../../../src/metrics/catalog.ts';
import { BURN_WINDOWS } from '../promql.ts';
import { type GrafanaDashboard, queriesOf } from './grafana-json.ts';
import type { Rule } from './panel-rules.ts';

const BUDGET_WINDOW = '30d';
const WINDOWS = ['$__rate_interval', '$__range', BUDGET_WINDOW, ...BURN_WINDOWS];
/** Of Prometheus and of histograms: every series may have them. */
const EVERYWHERE = ['job', 'instance', 'le'];

function each(find: (expr: string) => string[]): Rule {
  return (dashboard: GrafanaDashboard) =>
    queriesOf(dashboard).flatMap(({ panel, expr }) => find(expr).map((fault) => `${panel}: ${fault}`));
}

/** Shorter than four scrapes a window is often empty, longer it blurs: Grafana knows the right one. */
export const ratesHaveGrafanasWindow: Rule = each((expr) =>
  [...expr.matchAll(/\b(?:rate|irate|increase|delta|idelta)\([a-z_]+\{[^}]*\}\[([^\]]+)\]/g)].flatMap(
    ([, window = '']) => (WINDOWS.includes(window) ? [] : [`a rate over ${window}`]),
  ),
);

/** A quantile is of pooled buckets and is the end of the matter: no mean, sum or maximum of quantiles. */
export const quantilesAreNotAveraged: Rule = each((expr) => {
  const isWhole =
    /^histogram_quantile\([\d.]+, sum by \((?:\w+, )*le\) \(rate\([a-z_]+_bucket\{[^}]*\}\[[^\]]+\]\)\)\)$/;
  const isOfQuantile = /\bquantile(?:_over_time)?\(/.test(expr.replaceAll('histogram_quantile(', ''));
  return (expr.includes('histogram_quantile(') && !isWhole.test(expr)) || isOfQuantile
    ? [`a quantile that is worked on: ${expr}`]
    : [];
});

/** A division by nothing is infinite or NaN, and both look like a value. */
export const denominatorsAreGuarded: Rule = each((expr) => {
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  return [...bare.matchAll(/ \/ (?:(?:on|ignoring) \([^)]*\) )?(?:group_(?:left|right) \([^)]*\) )?/g)].flatMap(
    (found) => {
      const rest = bare.slice(found.index + found[0].length);
      return /^\d/.test(rest) || / > 0$/.test(insideOf(rest)) ? [] : [`an unguarded division: ${rest}`];
    },
  );
});

/** What stands in the parentheses that a text begins with. */
function insideOf(text: string): string {
  if (!text.startsWith('(')) return '';
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(1, index);
  }
  return '';
}

interface Use {
  entry: MetricEntry | null;
  name: string;
  matchers: string;
  /** The expression before the metric, without the functions that only look back in time. */
  before: string;
}

function usesIn(expr: string): Use[] {
  return [...expr.matchAll(/\b([a-z][a-z0-9_]+)\{([^}]*)\}/g)].map((found) => {
    const [, name = '', matchers = ''] = found;
    const own = name.replace(/_(bucket|sum|count)$/, '');
    const entry = CATALOG.find((one) => one.name === name || (one.type === 'histogram' && one.name === own)) ?? null;
    const before = expr.slice(0, found.index).replace(/(?:rate|increase)\($/, '');
    return { entry, name, matchers, before };
  });
}

/** Only what Pitot exports, by labels that it has. */
export const metricsAndLabelsExist: Rule = each((expr) =>
  usesIn(expr).flatMap(({ entry, name, matchers }) => {
    if (entry === null) return [`no metric ${name}`];
    const labels = [...matchers.matchAll(/(\w+)(?:=|!)/g)].map(([, label = '']) => label);
    const unknown = labels.filter((label) => !entry.labels.includes(label) && !EVERYWHERE.includes(label));
    return unknown.map((label) => `${name} has no label ${label}`);
  }),
);

/** Every replica says the same of a configuration: the sum of it would grow with the replicas. And some things have no sum at all. */
export const replicasAreNotAddedUp: Rule = each((expr) =>
  usesIn(expr).flatMap(({ entry, name, before }) => {
    if (entry?.addsUp === 'max' && !/\bmax(?: (?:by|without) \([^)]*\) )?\($/.test(before))
      return [`${name} without max by`];
    if (entry?.addsUp === 'none' && /\bsum(?: (?:by|without) \([^)]*\) )?\($/.test(before)) return [`a sum of ${name}`];
    return [];
  }),
);

/** Prometheus 3 writes le="1.0" where 2 wrote le="1". */
export const noBucketIsNamed: Rule = each((expr) =>
  /\ble(?:=|!)/.test(expr) ? ['a bucket by its literal bound'] : [],
);

/** A filter that is shown works, and one that is used can be set. */
export const variablesAreUsed: Rule = (dashboard) => {
  const used = new Set(
    queriesOf(dashboard).flatMap(({ expr }) => [...expr.matchAll(/\$(?!__)(\w+)/g)].map(([, name]) => name)),
  );
  const declared = new Set(dashboard.templating.list.map(({ name }) => name));
  const isUnused = (name: string) => name !== 'datasource' && !used.has(name);
  return [
    ...[...declared].filter(isUnused).map((name) => `variable ${name} filters nothing`),
    ...[...used].filter((name) => !declared.has(`${name}`)).map((name) => `variable ${name} is not there`),
  ];
};
