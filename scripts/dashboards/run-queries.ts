import type { Choice } from './interpolate.ts';
import { interpolate, stepSeconds } from './interpolate.ts';
import { type GrafanaDashboard, type GrafanaTarget, shown } from './lint/grafana-json.ts';

/** What a query gave: a course for range queries, a single point for instant ones; gaps are left out. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

export interface Ran {
  readonly uid: string;
  readonly panel: string;
  /** Of the query in its panel, from 0. */
  readonly query: number;
  /** As it was sent. */
  readonly sent: string;
  readonly expr: string;
  readonly stepSeconds: number;
  readonly series: readonly Series[];
}

export interface Run {
  /** `http://HOST:PORT` of the Prometheus. */
  readonly url: string;
  readonly endSeconds: number;
  readonly rangeSeconds: number;
  readonly scrapeSeconds: number;
  /** Points of a panel, at most. */
  readonly points: number;
  readonly chosen: Readonly<Record<string, Choice>>;
}

/** Sends every query of every panel as Grafana would. Throws what Prometheus says when it refuses one. */
export async function runDashboard(dashboard: GrafanaDashboard, run: Run): Promise<Ran[]> {
  const ran: Ran[] = [];
  for (const panel of shown(dashboard)) {
    const leastSeconds = Number.parseInt(panel.interval ?? '0', 10);
    const step = stepSeconds({ ...run, leastSeconds });
    for (const [query, target] of (panel.targets ?? []).entries()) {
      const sent = interpolate(target.expr, { ...run, stepSeconds: step });
      const series = await ask(target, sent, { ...run, step });
      ran.push({
        uid: dashboard.uid,
        panel: panel.title ?? '',
        query,
        sent,
        expr: target.expr,
        stepSeconds: step,
        series,
      });
    }
  }
  return ran;
}

async function ask(target: GrafanaTarget, query: string, run: Run & { step: number }): Promise<Series[]> {
  const { url, endSeconds, rangeSeconds, step } = run;
  const isInstant = target.instant === true;
  const times = isInstant
    ? { time: `${endSeconds}` }
    : { start: `${endSeconds - rangeSeconds}`, end: `${endSeconds}`, step: `${step}` };
  const path = isInstant ? 'query' : 'query_range';
  const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams({ query, ...times })}`);
  // The HTTP API of Prometheus: a vector has one `value` each, a matrix has `values`.
  const { status, error, data } = (await answer.json()) as PrometheusAnswer;
  if (status !== 'success' || data === undefined) throw new Error(`${query}: ${error}`);
  return data.result.map(({ metric, value, values }) => ({
    labels: metric,
    points: (values ?? (value === undefined ? [] : [value])).map(([seconds, text]) => [seconds, Number(text)] as const),
  }));
}

interface PrometheusAnswer {
  status: string;
  error?: string;
  data?: {
    result: {
      metric: Record<string, string>;
      value?: [number, string];
      values?: [number, string][];
    }[];
  };
}

/** The values that a variable's `label_values(...)` offers, given what is chosen of those before it. */
export async function offered(url: string, query: string, chosen: Run['chosen']): Promise<string[]> {
  const [, matcher = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
  const selector = interpolate(matcher, { stepSeconds: 1, scrapeSeconds: 1, rangeSeconds: 1, chosen });
  const answer = await fetch(`${url}/api/v1/label/${label}/values?${new URLSearchParams({ 'match[]': selector })}`);
  const { data } = (await answer.json()) as { data: string[] };
  return data;
}
