import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';

const run = promisify(execFile);
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Starts the thread that counts, then keeps far more alive than a young generation of 4 MB holds; prints its size before and after. */
const PROGRAM = `
  import { once } from 'node:events';
  import { getHeapSpaceStatistics } from 'node:v8';
  import { keepYoungGeneration, tuneCollector } from '${DIST}v8-flags.js';
  if (process.argv[2] === 'tuned') tuneCollector();
  const { startWorker } = await import('${DIST}tokens/start-worker.js');
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
  if (process.argv[2] === 'tuned') keepYoungGeneration();
  const before = size();
  const worker = process.argv[2] === 'tuned' ? startWorker() : null;
  if (worker !== null) await once(worker, 'online');
  const kept = [];
  for (let index = 0; index < 500_000; index += 1) kept.push({ index, text: 'x' + index });
  console.log(JSON.stringify([before, size()]));
  await worker?.terminate();
`;

async function youngBytes(how: 'tuned' | 'left alone'): Promise<[before: number, after: number]> {
  await using folder = await tempDir();
  const file = folder.file('program.mjs');
  await writeFile(file, PROGRAM);
  const { stdout } = await run(process.execPath, [file, how], { timeout: 20_000 });
  return JSON.parse(stdout);
}

it('the young generation has twice 4 MB once the program is loaded, and grows no further, also when a thread counts tokens', async () => {
  const [before, after] = await youngBytes('tuned');
  expect(before).toBeGreaterThan(7e6);
  expect(Math.max(before, after)).toBeLessThan(10e6);
  // Else this test could not fail.
  expect((await youngBytes('left alone'))[1]).toBeGreaterThan(10e6);
});
