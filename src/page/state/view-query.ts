import type { Filter } from './filter.ts';
import type { Sort } from './sort.ts';

export const TABLES = ['upstreams', 'requests', 'users', 'failures'] as const;
export type TableName = (typeof TABLES)[number];

export const CHARTS = ['throughput', 'speed', 'ttft', 'concurrency', 'curve'] as const;
export type ChartName = (typeof CHARTS)[number];

/** How somebody looks at it: all that a link to the page carries. Never a token. */
export interface View extends Filter {
  sorts: Readonly<Record<TableName, Sort>>;
  /** Charts that are read as tables. */
  asTable: readonly ChartName[];
  /** Which operating curve; empty: the one with the most traffic that the filter leaves. */
  curve: string;
  /** What the planner was asked, as it was typed. */
  tokensPerDay: string;
  ttftSlo: string;
}

/** Slowest first, since low is bad; what is largest first elsewhere. */
export const FIRST_VIEW: View = {
  upstream: null,
  model: null,
  sorts: {
    upstreams: { key: 'throughput', isDescending: true },
    requests: { key: 'speed', isDescending: false },
    users: { key: 'output', isDescending: true },
    failures: { key: 'time', isDescending: true },
  },
  asTable: [],
  curve: '',
  tokensPerDay: '',
  ttftSlo: '',
};

/** What is longer was not written by this page. */
const LONGEST_VALUE = 256;

/** From the query of an address; whatever it does not know is as if it were not there. */
export function readView(query: string): View {
  const given = new URLSearchParams(query);
  const text = (name: string) => given.get(name)?.slice(0, LONGEST_VALUE) ?? '';
  const named = text('as_table').split(',');
  return {
    upstream: text('upstream') || null,
    model: text('model') || null,
    sorts: {
      upstreams: readSort(given, 'upstreams'),
      requests: readSort(given, 'requests'),
      users: readSort(given, 'users'),
      failures: readSort(given, 'failures'),
    },
    asTable: CHARTS.filter((chart) => named.includes(chart)),
    curve: text('curve'),
    tokensPerDay: text('tokens_per_day'),
    ttftSlo: text('ttft_slo'),
  };
}

/** The query of a link to this view, with the question mark; empty where it is the first view. */
export function writeView(view: View): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | null) => {
    if (value !== null && value !== '') query.set(name, value);
  };
  put('upstream', view.upstream);
  put('model', view.model);
  for (const table of TABLES) {
    const [sort, first] = [view.sorts[table], FIRST_VIEW.sorts[table]];
    const isFirst = sort.key === first.key && sort.isDescending === first.isDescending;
    if (!isFirst) put(`sort_${table}`, `${sort.isDescending ? '-' : ''}${sort.key}`);
  }
  put('as_table', view.asTable.join(','));
  put('curve', view.curve);
  put('tokens_per_day', view.tokensPerDay);
  put('ttft_slo', view.ttftSlo);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function readSort(given: URLSearchParams, table: TableName): Sort {
  const [, minus, key] = /^(-?)([a-z0-9_]{1,32})$/.exec(given.get(`sort_${table}`) ?? '') ?? [];
  return key === undefined ? FIRST_VIEW.sorts[table] : { key, isDescending: minus === '-' };
}
