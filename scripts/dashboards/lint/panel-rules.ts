import { COLUMNS } from '../layout.ts';
import { DATASOURCE_VARIABLE } from '../names.ts';
import { type GrafanaDashboard, type GrafanaPanel, type GrafanaSource, shown } from './grafana-json.ts';

export type Rule = (dashboard: GrafanaDashboard) => string[];

const LEAST_DESCRIPTION = 40;

const isVariable = (source: GrafanaSource | undefined) => source?.uid === DATASOURCE_VARIABLE.uid;

/** A fixed data source would tie the dashboard to one Grafana. */
export const takesTheDatasourceVariable: Rule = (dashboard) => {
  const { templating, annotations } = dashboard;
  const panels = shown(dashboard).flatMap((panel) => [
    ...(isVariable(panel.datasource) ? [] : [`${panel.title}: no $datasource`]),
    ...(panel.targets ?? [])
      .filter(({ datasource }) => !isVariable(datasource))
      .map(({ refId }) => `${panel.title}: query ${refId} has no $datasource`),
  ]);
  const variables = templating.list
    .filter(({ type, datasource }) => type === 'query' && !isVariable(datasource))
    .map(({ name }) => `variable ${name} has no $datasource`);
  const notes = annotations.list
    .filter(({ datasource }) => !isVariable(datasource))
    .map(({ name }) => `annotation ${name} has no $datasource`);
  const first = templating.list[0];
  const own =
    first?.type === 'datasource' && first.name === 'datasource' ? [] : ['the first variable is not the data source'];
  return [...own, ...panels, ...variables, ...notes];
};

/** Who looks at a panel at night knows what it is, in what unit, and what to do. */
export const saysWhatItIs: Rule = (dashboard) =>
  shown(dashboard).flatMap((panel) => [
    ...((panel.title ?? '') === '' ? [`panel ${panel.id} has no title`] : []),
    ...((panel.description ?? '').length < LEAST_DESCRIPTION ? [`${panel.title}: no description`] : []),
    ...((panel.description ?? '').includes('When it is bad:') ? [] : [`${panel.title}: does not say what to do`]),
    ...((panel.fieldConfig?.defaults.unit ?? '') === '' ? [`${panel.title}: no unit`] : []),
    ...((panel.targets ?? []).length === 0 ? [`${panel.title}: no query`] : []),
    ...(panel.targets ?? [])
      .filter(({ legendFormat = '' }) => legendFormat === '')
      .map(({ refId }) => `${panel.title}: query ${refId} has no legend`),
  ]);

/** Ids, titles and letters of queries: links and overrides go by them. */
export const namesAreUnique: Rule = (dashboard) => [
  ...repeated(dashboard.panels.map(({ id }) => `panel id ${id}`)),
  ...repeated(dashboard.panels.map(({ title = '' }) => `title "${title}"`)),
  ...shown(dashboard).flatMap(({ title, targets = [] }) =>
    repeated(targets.map(({ refId }) => `${title}: query ${refId}`)),
  ),
];

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size).map((name) => `${name} is there twice`);
}

/** Nothing over another, nothing outside, and no hole: every cell down to the last row belongs to one panel. */
export const fillsTheGrid: Rule = ({ panels }) => {
  const cells = new Map<string, string>();
  const faults: string[] = [];
  for (const panel of panels) {
    for (const cell of cellsOf(panel)) {
      const other = cells.get(cell);
      if (other !== undefined) faults.push(`${panel.title} overlaps ${other}`);
      cells.set(cell, panel.title ?? '');
    }
    if (panel.gridPos.x < 0 || panel.gridPos.x + panel.gridPos.w > COLUMNS) faults.push(`${panel.title} is outside`);
  }
  const bottom = Math.max(0, ...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  if (faults.length === 0 && cells.size !== bottom * COLUMNS)
    faults.push(`${bottom * COLUMNS - cells.size} cells are empty`);
  return [...new Set(faults)];
};

function cellsOf({ gridPos: { x, y, w, h } }: GrafanaPanel): string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
}

/** Found by its tag, changed only where it is generated. */
export const isProvisioned: Rule = ({ uid, tags, editable, description = '' }) => [
  ...(/^pitot-[a-z]+$/.test(uid) ? [] : [`uid ${uid}`]),
  ...(tags.includes('pitot') ? [] : ['no tag']),
  ...(editable ? ['editable: what is changed in the page is lost with the next version'] : []),
  ...(description === '' ? ['no description'] : []),
];
