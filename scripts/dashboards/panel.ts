import type { UnitName } from './units.ts';

/** One query of a panel; `legend` is Grafana's, with `{{label}}` for a label's value. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** From `from` on in this colour; the first step begins at null, below everything. */
export interface Step {
  readonly from: number | null;
  readonly color: 'green' | 'orange' | 'red' | 'blue' | 'text';
}

interface Said {
  readonly title: string;
  readonly unit: UnitName;
  /** What is computed, in the words of the definitions. */
  readonly formula: string;
  /** What one sees, and what it does not say. */
  readonly description: string;
  /** What somebody on call does next when it looks bad. */
  readonly whenBad: string;
  readonly queries: readonly Query[];
  /** In columns of 24. */
  readonly width: number;
  /** In grid rows of 30 pixels. */
  readonly height: number;
  /** The shortest step between two points: where a window must hold enough requests for a quantile to say something. */
  readonly leastStep?: '10s';
}

export interface StatPanel extends Said {
  readonly kind: 'stat';
  /** Drawn with its course behind the number, from a range query; otherwise one instant query. */
  readonly isTrend: boolean;
  readonly steps?: readonly Step[];
}

export interface TimeSeriesPanel extends Said {
  readonly kind: 'timeseries';
  readonly isStacked?: boolean;
  readonly most?: number;
  /** Names of series that are targets: drawn dashed, without a fill. */
  readonly targets?: readonly string[];
  readonly isLogarithmic?: boolean;
}

export interface HeatmapPanel extends Said {
  readonly kind: 'heatmap';
  /** The unit of the buckets; `unit` is that of the cells. */
  readonly bucketUnit: UnitName;
}

export interface BarsPanel extends Said {
  readonly kind: 'bars';
  readonly most?: number;
}

/** One column for each query, after those of the labels; null hides a value that says nothing (an info metric's 1). */
export interface TablePanel extends Said {
  readonly kind: 'table';
  readonly columns: readonly ({ readonly title: string; readonly unit: UnitName } | null)[];
  /** Labels that are no columns. */
  readonly hidden?: readonly string[];
}

/** Two queries, x and y, by upstream: one point for each step of time. */
export interface XyPanel extends Said {
  readonly kind: 'xy';
  readonly x: { readonly title: string; readonly unit: UnitName };
  readonly y: { readonly title: string; readonly unit: UnitName };
}

/** States over time: 0 and 1, with the word for each and whether 1 is the good one. */
export interface StatePanel extends Said {
  readonly kind: 'state';
  readonly words: { readonly zero: string; readonly one: string; readonly isOneGood: boolean };
}

export type Panel = StatPanel | TimeSeriesPanel | HeatmapPanel | BarsPanel | TablePanel | XyPanel | StatePanel;

/** Panels below a heading; the first row of a dashboard has none. */
export interface Row {
  readonly title: string | null;
  readonly panels: readonly Panel[];
}

export type DashboardUid = 'pitot-operator' | 'pitot-users' | 'pitot-cost' | 'pitot-slo';

export interface Dashboard {
  readonly uid: DashboardUid;
  readonly title: string;
  /** The question it answers. */
  readonly description: string;
  readonly rows: readonly Row[];
}

export function panelsOf(dashboard: Dashboard): Panel[] {
  return dashboard.rows.flatMap(({ panels }) => panels);
}
