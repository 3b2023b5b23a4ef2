// `npm run fuzz -- --minutes N [--seed S] [FILE…]`: tries the laws of test/fuzz for N minutes altogether, one after
// the other, from a seed of chance or the one that is given. The exit code is vitest's.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'test/fuzz');
const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes wants a number above 0, got "${values.minutes}".`);
  process.exit(2);
}

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => positionals.length === 0 || positionals.some((wanted) => name.includes(wanted)));
/** A law that is tried in several ways says so itself. */
const laws = files.flatMap((name) => lawsIn(readFileSync(join(folder, name), 'utf8')));
const times = laws.reduce((sum, ways) => sum + ways, 0);
if (times === 0) {
  console.error(`No file of test/fuzz is named ${positionals.join(', ')}.`);
  process.exit(2);
}
console.log(`${times} laws, ${((minutes * 60) / times).toFixed(1)} s each`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fuzz', '--no-file-parallelism', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PITOT_FUZZ_SECONDS: String((minutes * 60) / times),
      ...(values.seed === undefined ? {} : { PITOT_FUZZ_SEED: values.seed }),
    },
  },
);
process.exit(status ?? 1);

function lawsIn(source) {
  const ways = Number(/^const WAYS = \{(.*?)^\}/ms.exec(source)?.[1].match(/^ {2}\S/gm)?.length ?? 1);
  return (source.match(/^ *law\(/gm) ?? []).map(() => ways);
}
