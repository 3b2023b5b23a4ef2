import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './build/dashboard.ts';
import { DASHBOARDS } from './dashboards.ts';
import { dashboardsDoc } from './doc.ts';
import { previews } from './preview/previews.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'config/grafana/dashboards');

/** Every generated file of the dashboards with its text; JSON as the formatter of the house has it only after writing. */
export const DASHBOARDS_DOC = join(ROOT, 'docs/DASHBOARDS.md');
export const dashboardFile = (uid: string) => join(FOLDER, `${uid}.json`);
export const previewFile = (uid: string) => join(ROOT, 'docs/dashboards', `${uid}.svg`);

/** Writes config/grafana/dashboards, docs/DASHBOARDS.md and the pictures; a contract test compares. */
export function generateDashboards(): void {
  mkdirSync(FOLDER, { recursive: true });
  mkdirSync(join(ROOT, 'docs/dashboards'), { recursive: true });
  for (const dashboard of DASHBOARDS) {
    writeFileSync(dashboardFile(dashboard.uid), `${JSON.stringify(buildDashboard(dashboard), null, 2)}\n`);
  }
  writeFileSync(DASHBOARDS_DOC, dashboardsDoc());
  for (const [uid, svg] of previews()) writeFileSync(previewFile(uid), svg);
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const { status } = spawnSync(process.execPath, [biome, 'format', '--write', FOLDER], { stdio: 'inherit' });
  if (status !== 0) throw new Error('biome could not format config/grafana/dashboards');
}

if (import.meta.filename === process.argv[1]) generateDashboards();
