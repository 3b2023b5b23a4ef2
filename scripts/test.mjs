// `npm test`: everything a developer and CI run. Brings the programs that tests use where it may, builds,
// and runs vitest with the arguments given. The exit code is vitest's.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Programs of Debian that some tests run, and what is skipped without them. */
const TOOLS = [
  { commands: ['prometheus', 'promtool'], package: 'prometheus', without: 'tests against a real Prometheus' },
  {
    commands: ['prometheus-alertmanager', 'amtool'],
    package: 'prometheus-alertmanager',
    without: 'alerts on their way to whom they concern',
  },
  { commands: ['haproxy'], package: 'haproxy', without: 'rolling restarts behind a balancer with health checks' },
  { commands: ['chromium'], package: 'chromium', without: 'tests of the live page in a browser' },
  {
    commands: ['nginx'],
    package: 'nginx-light',
    without: 'rolling restarts behind a balancer without, and what docs/DEPLOYING.md says of nginx',
  },
];

const missing = TOOLS.filter(({ commands }) => !commands.every(isInstalled));
if (missing.length > 0) bring(missing);
run(process.execPath, ['scripts/build.mjs']);
run(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  '--outputFile.json=.vitest-report.json',
  ...process.argv.slice(2),
]);

function isInstalled(command) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function bring(tools) {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (mayInstall) {
    const packages = tools.map((tool) => tool.package);
    console.log(`Installing ${packages.join(', ')} for the tests that use them.`);
    aptGet(['update', '-q']);
    aptGet(['install', '-q', '-y', '--no-install-recommends', ...packages]);
  }
  for (const { package: name, commands, without } of tools) {
    if (!commands.every(isInstalled)) console.log(`WITHOUT ${name}: ${without} will be skipped.`);
  }
}

/** RUNLEVEL=1 keeps Debian from starting the services it installs. */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
