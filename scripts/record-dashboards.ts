// `npx tsx scripts/record-dashboards.ts URL END RANGE`: keeps what every panel shows of a Prometheus that scraped
// `pitot demo` every second, for the pictures in docs/dashboards. END in Unix seconds, RANGE in seconds before it.
import { writeFileSync } from 'node:fs';
import { buildDashboard } from './dashboards/build/dashboard.ts';
import { DASHBOARDS } from './dashboards/dashboards.ts';
import type { GrafanaDashboard } from './dashboards/lint/grafana-json.ts';
import { RECORDING_FILE, recordingOf } from './dashboards/preview/recording.ts';
import { runDashboard } from './dashboards/run-queries.ts';

const POINTS = 60;
const ALL = { all: '.*' } as const;
const [url, end, range] = process.argv.slice(2);
if (url === undefined || end === undefined || range === undefined) throw new Error('expected URL END RANGE');

const rangeSeconds = Number(range);
const run = {
  url,
  endSeconds: Number(end),
  rangeSeconds,
  scrapeSeconds: 1,
  points: POINTS,
  chosen: { job: ALL, upstream: ALL, model: ALL, workload: ALL, user: ALL },
};
const ran = [];
// The builder gives Grafana's JSON; the rules of lint say so of it.
for (const dashboard of DASHBOARDS)
  ran.push(...(await runDashboard(buildDashboard(dashboard) as GrafanaDashboard, run)));
writeFileSync(RECORDING_FILE, `${JSON.stringify(recordingOf(ran, run.endSeconds - rangeSeconds, rangeSeconds))}\n`);
