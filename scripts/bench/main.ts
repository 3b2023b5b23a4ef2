import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases/cases.ts';
import { Children } from './children.ts';
import { ask } from './conversation.ts';
import { machineText, thisMachine } from './machine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { caseText } from './report.ts';
import { resultsToAddTo, withCase, writeResults } from './results.ts';
import type { Site } from './site.ts';
import type { UpstreamAddress } from './upstream.ts';

/** `npm run bench`: what Pitot costs beside others of its kind and beside nothing, in one run on one machine. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const caseNames = CASES.map(({ name }) => name);

async function bench(options: Options, children: Children): Promise<void> {
  const { json, rounds, seconds } = options;
  const machine = thisMachine();
  let results = json === null ? { machine, cases: [] } : resultsToAddTo(json, machine);
  console.log(`\n${machineText(machine)}\n`);
  const site = await siteOf(options, children);
  for (const { name, title, run } of CASES) {
    if (options.cases !== null && !options.cases.includes(name)) continue;
    const loadAverage = loadavg()[0] ?? 0;
    const result = await run(site);
    console.log(`${caseText(title, result)}\n`);
    const measured = { name, title, time: new Date().toISOString(), rounds, seconds, loadAverage, ...result };
    results = withCase(results, measured, caseNames);
    // After every case: what was measured is kept when a later one fails.
    if (json !== null) writeResults(json, results);
  }
}

async function siteOf(options: Options, children: Children): Promise<Site> {
  const upstream = children.fork('upstream', new URL('./upstream.ts', import.meta.url));
  const { port } = await ask<object, UpstreamAddress>(upstream, {}, 10_000);
  return {
    ...options,
    children,
    upstreamPort: port,
    pitot: options.pitot ?? `${root}dist/main.js`,
    // Progress is for eyes: what is read by programs or kept in a file is the result alone.
    say: (line) => console.error(`  … ${line}`),
  };
}

/** @throws Error when the sources do not compile. */
function build(): void {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Pitot could not be built; --pitot MAIN.JS measures a build that is there.');
}

function optionsOrExit(): Options {
  try {
    const options = readOptions(process.argv.slice(2), caseNames, process.env);
    if (!options.help) return options;
    console.log(`${USAGE}\n\nCases: ${caseNames.join(', ')}`);
    process.exit(0);
  } catch (error) {
    console.error(`${sentenceOf(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const options = optionsOrExit();
const children = new Children();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    void children.stopAll().finally(() => process.exit(130));
  });
}
try {
  if (options.pitot === null) build();
  await bench(options, children);
} catch (error) {
  // What is stopped by an interrupt fails: that is no news.
  if (!isInterrupted) console.error(sentenceOf(error));
  process.exitCode = isInterrupted ? 130 : 1;
}
await children.stopAll();
