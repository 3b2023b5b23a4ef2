import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.ts';
import { reasonToBeEmpty } from '../../scripts/dashboards/empty-by-design.ts';
import type { Choice } from '../../scripts/dashboards/interpolate.ts';
import type { GrafanaDashboard } from '../../scripts/dashboards/lint/grafana-json.ts';
import { type Panel, panelsOf } from '../../scripts/dashboards/panel.ts';
import { offered, type Ran, type Run, runDashboard } from '../../scripts/dashboards/run-queries.ts';
import { UNITS, type UnitName } from '../../scripts/dashboards/units.ts';
import { valuesQuery, variablesOf } from '../../scripts/dashboards/variables.ts';
import { dashboardFile } from '../../scripts/dashboards/write.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { hasPrometheus, Prometheus } from '../helpers/prometheus.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';

if (!hasPrometheus)
  process.stderr.write('SKIPPED: no Prometheus here (apt-get install prometheus); no panel is asked of a real one\n');

/** As long as it takes the load to walk from 1 to 24 requests in flight: windows of a whole minute, and every phase of the engine. */
const WALK_SECONDS = 62;
const RANGE_SECONDS = 60;
const RULES = fileURLToPath(new URL('../../config/prometheus/rules', import.meta.url));
const ALL = { all: '.*' } as const;
const EVERYTHING: Run['chosen'] = { job: ALL, upstream: ALL, model: ALL, workload: ALL, user: ALL };

interface Site {
  prometheus: Prometheus;
  /** Tokens per second over the last minute by the engine's own counter, and when that was said. */
  engineRate: number;
  endSeconds: number;
  stop(): Promise<void>;
}

const shipped = (uid: string): GrafanaDashboard => JSON.parse(readFileSync(dashboardFile(uid), 'utf8'));

/** The demo of the built product, a Prometheus with the shipped rules that scrapes it every second, and a minute of load. */
async function watchedDemo(): Promise<Site> {
  const folder = await tempDir();
  const demo = PitotProcess.run(['demo', '--for', '170', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0']);
  const { admin } = JSON.parse(await demo.line((line) => line.includes('"msg":"listening"')));
  const prometheus = await Prometheus.configured(prometheusYaml(admin), folder.path);
  await sleep(WALK_SECONDS * 1_000);
  const said = demo.line((line) => /"engine_tokens_per_second":\d/.test(line));
  const { time, engine_tokens_per_second: engineRate } = JSON.parse(await said);
  const endSeconds = Date.parse(time) / 1_000;
  await until(() => Date.now() / 1_000 > endSeconds + 2);
  const stop = async () => {
    await prometheus[Symbol.asyncDispose]();
    await demo[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { prometheus, engineRate, endSeconds: Math.floor(endSeconds), stop };
}

function prometheusYaml(target: string): string {
  return [
    'global: { scrape_interval: 1s, evaluation_interval: 1s }',
    existsSync(RULES) ? `rule_files: [ "${RULES}/*.yml" ]` : '',
    `scrape_configs: [{ job_name: pitot, static_configs: [{ targets: ["${target}"] }] }]`,
  ].join('\n');
}

describe.skipIf(!hasPrometheus)('the dashboards in front of a real Prometheus and a real Pitot under load', () => {
  let site: Site;
  beforeAll(async () => {
    site = await watchedDemo();
  }, 150_000);
  afterAll(async () => await site?.stop());

  const run = async (uid: string, chosen: Run['chosen'] = EVERYTHING): Promise<Ran[]> => {
    const url = `http://127.0.0.1:${site.prometheus.port}`;
    const times = { endSeconds: site.endSeconds, rangeSeconds: RANGE_SECONDS };
    return await runDashboard(shipped(uid), { url, ...times, scrapeSeconds: 1, points: 60, chosen });
  };

  describe.each(DASHBOARDS)('$uid', (dashboard) => {
    it('has something to show on every panel, in finite and plausible values', async () => {
      const ran = await run(dashboard.uid);
      expect(ran.length).toBeGreaterThan(15);
      expect(ran.flatMap((one) => faultsOf(one, panelOf(dashboard, one.panel)))).toEqual([]);
    });

    it('shows the same when every value that its variables offer is chosen by name', async () => {
      const chosen = await everyValueByName(dashboard, `http://127.0.0.1:${site.prometheus.port}`);
      const empty = (ran: readonly Ran[]) => ran.filter(({ series }) => series.length === 0).map(nameOf);
      expect(empty(await run(dashboard.uid, chosen))).toEqual(empty(await run(dashboard.uid)));
    });
  });

  it('say of the throughput what the engine says of itself', async () => {
    const [all, perGpu] = (await run('pitot-operator')).filter(({ panel }) => panel === 'System throughput');
    for (const one of [all, perGpu]) {
      const points = one?.series.flatMap(({ points: own }) => own.map(([, value]) => value)) ?? [];
      const mean = points.reduce((sum, value) => sum + value, 0) / points.length;
      expect(Math.abs(mean / site.engineRate - 1), `${mean} against ${site.engineRate}`).toBeLessThan(0.15);
    }
  });
});

function panelOf(dashboard: (typeof DASHBOARDS)[number], title: string): Panel {
  const panel = panelsOf(dashboard).find((one) => one.title === title);
  if (panel === undefined) throw new Error(`no panel ${title}`);
  return panel;
}

const nameOf = ({ uid, panel, query }: Ran) => `${uid}: ${panel}, query ${query}`;

/** What is wrong with the result of one query: nothing there, no number, or one that cannot be. */
function faultsOf(ran: Ran, panel: Panel): string[] {
  const values = ran.series.flatMap(({ points }) => points.map(([, value]) => value));
  // A quantile of a window in which no request ended is NaN; that of no window at all is a fault.
  const isGap = (value: number) => Number.isNaN(value) && ran.expr.startsWith('histogram_quantile');
  const seen = values.filter((value) => !isGap(value));
  if (seen.length === 0)
    return reasonToBeEmpty(dashboardUid(ran), ran.panel, ran.query) === null
      ? [`${nameOf(ran)} is empty: ${ran.sent}`]
      : [];
  const [least, most] = UNITS[unitOf(panel, ran.query)].plausible;
  const odd = seen.filter((value) => !(value >= least && value <= most));
  return odd.length === 0 ? [] : [`${nameOf(ran)} has ${odd.slice(0, 3).join(', ')}, not in ${least} to ${most}`];
}

function dashboardUid({ uid }: Ran) {
  const dashboard = DASHBOARDS.find((one) => one.uid === uid);
  if (dashboard === undefined) throw new Error(`no dashboard ${uid}`);
  return dashboard.uid;
}

/** The unit of one query's values: of its column, of its axis, of the panel. */
function unitOf(panel: Panel, query: number): UnitName {
  if (panel.kind === 'table') return panel.columns[query]?.unit ?? panel.unit;
  if (panel.kind === 'xy') return (query === 0 ? panel.x : panel.y).unit;
  return panel.unit;
}

/** As if somebody had ticked every box, from the first variable to the last. */
async function everyValueByName(dashboard: (typeof DASHBOARDS)[number], url: string): Promise<Record<string, Choice>> {
  const chosen: Record<string, Choice> = {};
  for (const variable of variablesOf(dashboard)) {
    const values = await offered(url, valuesQuery(variable), chosen);
    expect(values, variable.name).not.toEqual([]);
    chosen[variable.name] = values;
  }
  return chosen;
}
