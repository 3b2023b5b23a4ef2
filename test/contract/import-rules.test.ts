import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';

const run = promisify(execFile);
const CONFIG: { forbidden: { name: string }[] } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const ROOT = resolve(import.meta.dirname, '../..');

interface Violation {
  rule: { name: string };
  from: string;
}

/** File → what it imports. Every file of the tree exists, so that only the rules can object. */
type Tree = Record<string, readonly string[]>;

async function violations(tree: Tree): Promise<string[]> {
  await using folder = await tempDir();
  for (const [file, imports] of Object.entries(tree)) {
    const lines = imports.map(
      (target, index) => `import * as i${index} from '${target}';\nexport const x${index} = i${index};`,
    );
    await mkdir(dirname(folder.file(file)), { recursive: true });
    await writeFile(folder.file(file), lines.join('\n'));
  }
  await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
  for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
    await writeFile(folder.file(file), await readFile(join(ROOT, file)));
  }
  const command = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout } = await run(process.execPath, [command, 'src', '--output-type', 'json'], {
    cwd: folder.path,
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const found: Violation[] = JSON.parse(stdout).summary.violations;
  return [...new Set(found.map(({ rule, from }) => `${rule.name}: ${from}`))].sort();
}

const LAWFUL: Tree = {
  'src/clock.ts': [],
  'src/errors.ts': [],
  'src/wire/a.ts': ['../clock.ts'],
  'src/meter/a.ts': ['../wire/a.ts'],
  'src/ledger/a.ts': ['../meter/a.ts', '../wire/a.ts'],
  'src/metrics/a.ts': ['../ledger/a.ts', 'prom-client'],
  'src/live/a.ts': ['../ledger/a.ts', '../cost/a.ts', '../config/a.ts'],
  'src/cost/a.ts': ['../meter/a.ts', '../config/a.ts'],
  'src/curve/a.ts': ['../live/a.ts', '../ledger/a.ts', 'node:fs'],
  'src/plan/a.ts': ['../curve/a.ts', '../cost/a.ts', '../live/a.ts'],
  'src/usage-log/a.ts': ['../meter/a.ts', 'node:fs'],
  'src/usage-report/a.ts': ['../meter/a.ts', 'node:zlib'],
  'src/config/a.ts': ['typebox', 'yaml'],
  'src/identity/a.ts': ['node:crypto'],
  'src/tokens/a.ts': ['js-tiktoken'],
  'src/gateway/a.ts': [
    '../metrics/a.ts',
    '../live/a.ts',
    '../usage-log/a.ts',
    '../identity/a.ts',
    '../tokens/a.ts',
    'fastify',
    'undici',
    'node:http',
  ],
  'src/demo/a.ts': ['../config/a.ts', 'node:http'],
  'src/page/charts/a.ts': ['uplot', 'eventsource-parser'],
  'src/workers/a.ts': ['../gateway/a.ts', '../ledger/a.ts', '../log.ts', 'node:net'],
  'src/commands/a.ts': ['../app.ts', '../demo/a.ts', '../usage-report/a.ts'],
  'src/log.ts': ['pino'],
  'src/app.ts': ['./gateway/a.ts', './plan/a.ts', './demo/a.ts', './workers/a.ts', './log.ts', './errors.ts'],
  'src/run.ts': ['./commands/a.ts'],
  'src/main.ts': ['./run.ts'],
};

/** The lawful house with one file added, and the rule that must object to that file. */
const UNLAWFUL: readonly [string, string, readonly string[]][] = [
  ['room-wire', 'src/wire/b.ts', ['../meter/a.ts']],
  ['room-meter', 'src/meter/b.ts', ['../ledger/a.ts']],
  ['room-ledger', 'src/ledger/b.ts', ['../metrics/a.ts']],
  ['room-metrics', 'src/metrics/b.ts', ['../live/a.ts']],
  ['room-live', 'src/live/b.ts', ['../gateway/a.ts']],
  ['room-cost', 'src/cost/b.ts', ['../live/a.ts']],
  ['room-curve', 'src/curve/b.ts', ['../plan/a.ts']],
  ['room-plan', 'src/plan/b.ts', ['../config/a.ts']],
  ['room-usage-log', 'src/usage-log/b.ts', ['../config/a.ts']],
  ['room-usage-report', 'src/usage-report/b.ts', ['../usage-log/a.ts']],
  ['room-gateway', 'src/gateway/b.ts', ['../demo/a.ts']],
  ['room-tokens', 'src/tokens/b.ts', ['../wire/a.ts']],
  ['room-identity', 'src/identity/b.ts', ['../config/a.ts']],
  ['room-config', 'src/config/b.ts', ['../meter/a.ts']],
  ['room-demo', 'src/demo/b.ts', ['../gateway/a.ts']],
  ['room-page', 'src/page/b.ts', ['../gateway/a.ts']],
  ['room-workers', 'src/workers/b.ts', ['../usage-log/a.ts']],
  ['only-there-prom-client', 'src/live/c.ts', ['prom-client']],
  ['only-there-pino', 'src/usage-log/c.ts', ['pino']],
  ['only-there-js-tiktoken', 'src/gateway/c.ts', ['js-tiktoken']],
  ['only-there-typebox', 'src/gateway/d.ts', ['typebox']],
  ['only-there-yaml', 'src/demo/c.ts', ['yaml']],
  ['only-there-uplot', 'src/page/tables/b.ts', ['uplot']],
  ['only-there-fastify', 'src/metrics/c.ts', ['fastify']],
  ['only-there-undici', 'src/live/d.ts', ['undici']],
  ['only-there-sockets', 'src/identity/c.ts', ['node:net']],
  ['pure-rooms', 'src/wire/c.ts', ['node:zlib']],
  ['pure-rooms', 'src/ledger/c.ts', ['pino']],
  ['page-in-browser', 'src/page/c.ts', ['../live/a.ts']],
  ['page-without-node', 'src/page/d.ts', ['node:fs']],
  ['page-apart', 'src/cli-help.ts', ['./page/charts/a.ts']],
  ['app-above-rooms', 'src/gateway/e.ts', ['../app.ts']],
  ['commands-below-main', 'src/cli.ts', ['./commands/a.ts']],
  ['no-cycles', 'src/config/f.ts', ['./g.ts']],
  ['no-orphans', 'src/config/lonely.ts', []],
  ['no-dev-packages', 'src/config/h.ts', ['vitest']],
  ['resolvable', 'src/config/i.ts', ['./nowhere.ts']],
  ['src-only', 'src/config/j.ts', ['../../test/a.ts']],
];

describe('the import rules', () => {
  it('have nothing against the house as it is meant', async () => {
    expect(await violations(LAWFUL)).toEqual([]);
  });

  it('fire, each of them, on a file that breaks it', async () => {
    const broken = Object.fromEntries(UNLAWFUL.map(([, file, imports]) => [file, imports]));
    const found = await violations({ ...LAWFUL, ...broken, 'src/config/g.ts': ['./f.ts'], 'test/a.ts': [] });
    for (const [rule, file] of UNLAWFUL) expect(found).toContain(`${rule}: ${file}`);
    const rules = CONFIG.forbidden.map(({ name }) => name);
    expect([...new Set(UNLAWFUL.map(([rule]) => rule))].sort()).toEqual(rules.sort());
  });
});
