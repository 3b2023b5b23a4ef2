import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildDashboard } from '../../scripts/dashboards/build/dashboard.ts';
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.ts';
import { dashboardsDoc } from '../../scripts/dashboards/doc.ts';
import { EMPTY_BY_DESIGN } from '../../scripts/dashboards/empty-by-design.ts';
import type { GrafanaDashboard } from '../../scripts/dashboards/lint/grafana-json.ts';
import { RULES } from '../../scripts/dashboards/lint/rules.ts';
import { metricsOf } from '../../scripts/dashboards/metrics-of.ts';
import { DASHBOARDS_PATH, DATASOURCE, FOLDER } from '../../scripts/dashboards/names.ts';
import { panelsOf } from '../../scripts/dashboards/panel.ts';
import { previews } from '../../scripts/dashboards/preview/previews.ts';
import { queryKey, readRecording } from '../../scripts/dashboards/preview/recording.ts';
import { UNSHOWN } from '../../scripts/dashboards/unshown.ts';
import { DASHBOARDS_DOC, dashboardFile, previewFile } from '../../scripts/dashboards/write.ts';
import { CATALOG } from '../../src/metrics/catalog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const GRAFANA = join(ROOT, 'config/grafana');
const text = (path: string) => readFileSync(path, 'utf8');
const shipped = (uid: string): GrafanaDashboard => JSON.parse(text(dashboardFile(uid)));

describe.each(DASHBOARDS.map((dashboard) => [dashboard.uid, dashboard] as const))(
  'the dashboard %s',
  (uid, dashboard) => {
    it('is what its panels say now; npm run gen writes it', () => {
      expect(shipped(uid)).toEqual(buildDashboard(dashboard));
    });

    it.each(RULES)('%s', (_says, rule) => {
      expect(rule(shipped(uid))).toEqual([]);
    });

    it('is drawn in docs/dashboards; npm run gen draws it', () => {
      expect(text(previewFile(uid))).toBe(new Map(previews()).get(uid));
    });

    it('has what the picture is drawn from: a recorded result of each of its queries as they are now', () => {
      const { queries } = readRecording();
      const asked = panelsOf(dashboard).flatMap(({ title, queries: own }) =>
        own.map(({ expr }, index) => [queryKey(uid, title, index), expr] as const),
      );
      expect(asked.filter(([key, expr]) => queries[key]?.expr !== expr).map(([key]) => key)).toEqual([]);
    });
  },
);

describe('the dashboards together', () => {
  it('are the four, and no other file is beside them', () => {
    const uids = ['pitot-operator', 'pitot-users', 'pitot-cost', 'pitot-slo'];
    expect(DASHBOARDS.map(({ uid }) => uid)).toEqual(uids);
    expect(readdirSync(join(GRAFANA, 'dashboards')).sort()).toEqual(uids.map((uid) => `${uid}.json`).sort());
  });

  it('show every metric of Pitot, but those of which it is said why not', () => {
    const shown = new Set(DASHBOARDS.flatMap(panelsOf).flatMap(metricsOf));
    const missing = CATALOG.map(({ name }) => name).filter((name) => !shown.has(name));
    expect(missing.sort()).toEqual(Object.keys(UNSHOWN).sort());
  });

  it('name as empty by design only queries that they have', () => {
    const known = new Set(
      DASHBOARDS.flatMap((dashboard) =>
        panelsOf(dashboard).flatMap(({ title, queries }) =>
          queries.map((_, index) => queryKey(dashboard.uid, title, index)),
        ),
      ),
    );
    const named = EMPTY_BY_DESIGN.flatMap(({ dashboards, title, queries }) =>
      dashboards.flatMap((uid) => queries.map((index) => queryKey(uid, title, index))),
    );
    expect(named.filter((key) => !known.has(key))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('show one job at a time: two installations may call different engines by one name', () => {
    for (const { uid } of DASHBOARDS) {
      const job = shipped(uid).templating.list.find(({ name }) => name === 'job');
      expect(job).toMatchObject({ multi: false, includeAll: false });
    }
  });

  it('are explained in docs/DASHBOARDS.md; npm run gen writes it', () => {
    expect(text(DASHBOARDS_DOC)).toBe(dashboardsDoc());
  });
});

describe('the provisioning of Grafana', () => {
  const datasources = parse(text(join(GRAFANA, 'provisioning/datasources/prometheus.yml')));
  const providers = parse(text(join(GRAFANA, 'provisioning/dashboards/pitot.yml')));

  it('has one Prometheus, by the name and uid that the dashboards choose first', () => {
    expect(datasources).toMatchObject({
      apiVersion: 1,
      datasources: [{ ...DATASOURCE, type: 'prometheus', access: 'proxy', isDefault: true }],
    });
    const variables = DASHBOARDS.map(({ uid }) => shipped(uid).templating.list[0]);
    for (const variable of variables) {
      expect(variable).toMatchObject({ current: { text: DATASOURCE.name, value: DATASOURCE.uid } });
    }
  });

  it('tells Grafana the scrape interval of our Prometheus, from which it takes the windows of rates', () => {
    const prometheus = parse(text(join(ROOT, 'config/prometheus/prometheus.yml')));
    expect(datasources.datasources[0].jsonData.timeInterval).toBe(prometheus.global.scrape_interval);
  });

  it('reads the dashboards where the container has them, and lets nobody change them there', () => {
    expect(providers).toMatchObject({
      apiVersion: 1,
      providers: [
        {
          type: 'file',
          folder: FOLDER.name,
          folderUid: FOLDER.uid,
          allowUiUpdates: false,
          options: { path: DASHBOARDS_PATH },
        },
      ],
    });
  });
});
