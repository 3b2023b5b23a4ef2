/** The part of Grafana's dashboard JSON that the rules look at. */
export interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly editable: boolean;
  readonly panels: readonly GrafanaPanel[];
  readonly templating: { readonly list: readonly GrafanaVariable[] };
  readonly annotations: { readonly list: readonly { readonly name: string; readonly datasource?: GrafanaSource }[] };
}

export interface GrafanaSource {
  readonly type?: string;
  readonly uid?: string;
}

export interface GrafanaVariable {
  readonly name: string;
  readonly type: string;
  readonly allValue?: string;
  readonly query: string | { readonly query: string };
  readonly datasource?: GrafanaSource;
}

export interface GrafanaTarget {
  readonly refId: string;
  readonly expr: string;
  readonly instant?: boolean;
  readonly legendFormat?: string;
  readonly datasource?: GrafanaSource;
}

export interface GrafanaPanel {
  readonly id: number;
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly interval?: string;
  readonly datasource?: GrafanaSource;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly GrafanaTarget[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

/** Panels that show something: rows are headings. */
export function shown({ panels }: GrafanaDashboard): GrafanaPanel[] {
  return panels.filter(({ type }) => type !== 'row');
}

/** Every query with the panel it stands in. */
export function queriesOf(dashboard: GrafanaDashboard): { panel: string; expr: string }[] {
  return shown(dashboard).flatMap(({ title = '', targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, expr })),
  );
}
