import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { TruthRun } from '../../scripts/truth/figures.ts';
import { Child } from '../helpers/child.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// What depends on how busy the machine is (windows, gaps, lags) is for `npm run truth`, alone on a machine.
it('counts what was written, whether the upstream reports four tokens a chunk or never reports', async () => {
  await using folder = await tempDir();
  const json = join(folder.path, 'truth.json');
  const cases = ['half load, 4 tokens a chunk', 'half load, usage never reported'];
  const few = ['--users', '12', '--seconds', '1', '--warm-up', '1', ...cases.flatMap((name) => ['--case', name])];
  const script = ['--import', 'tsx', `${ROOT}scripts/truth/main.ts`, '--pitot', `${ROOT}dist/main.js`];
  await using truth = new Child(process.execPath, [...script, ...few, '--json', json]);
  expect(await truth.ended(), truth.stderr.join('\n')).toBe(0);

  const run = JSON.parse(readFileSync(json, 'utf8')) as TruthRun;
  expect(run.cases.map(({ records }) => Object.keys(records.sources))).toEqual([['reported'], ['estimated']]);
  for (const { records, tokensOff } of run.cases) {
    expect(records.records).toBeGreaterThan(5);
    expect({ ...records, tokensOff }).toMatchObject({ unmatched: 0, miscounted: 0, blockedRecords: 0, tokensOff: 0 });
  }
});
