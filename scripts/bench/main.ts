import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CaseResult } from './cases/case.ts';
import { CASES } from './cases/cases.ts';
import { Children } from './children.ts';
import { ask } from './conversation.ts';
import { type Machine, thisMachine } from './machine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { caseText, isReached, machineText } from './report.ts';
import type { Site } from './site.ts';
import type { UpstreamAddress } from './upstream.ts';

/** `npm run bench`: what Pitot costs beside nginx and beside nothing, in one run on one machine. */

const root = fileURLToPath(new URL('../../', import.meta.url));

async function bench(options: Options, children: Children): Promise<void> {
  const machine = thisMachine();
  console.log(`\n${machineText(machine)}\n`);
  const site = await siteOf(options, children);
  const results: object[] = [];
  for (const { name, title, run } of CASES) {
    if (options.cases !== null && !options.cases.includes(name)) continue;
    const result = await run(site);
    console.log(`${caseText(title, result)}\n`);
    results.push({ name, title, ...withVerdicts(result) });
  }
  if (options.json !== null) writeFileSync(options.json, asJson(machine, options, results));
}

async function siteOf(options: Options, children: Children): Promise<Site> {
  const upstream = children.fork('upstream', new URL('./upstream.ts', import.meta.url));
  const { port } = await ask<object, UpstreamAddress>(upstream, {}, 10_000);
  return {
    children,
    upstreamPort: port,
    pitot: resolve(options.pitot ?? `${root}dist/main.js`),
    rounds: options.rounds,
    seconds: options.seconds,
    // Progress is for eyes: what is read by programs or kept in a file is the result alone.
    say: (line) => console.error(`  … ${line}`),
  };
}

function withVerdicts(result: CaseResult): object {
  return { ...result, figures: result.figures.map((figure) => ({ ...figure, reached: isReached(figure) })) };
}

function asJson(machine: Machine, { rounds, seconds }: Options, cases: object[]): string {
  return `${JSON.stringify({ time: new Date().toISOString(), machine, rounds, seconds, cases }, null, 2)}\n`;
}

/** @throws Error when the sources do not compile. */
function build(): void {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Pitot could not be built; --pitot MAIN.JS measures a build that is there.');
}

function optionsOrExit(): Options {
  try {
    const names = CASES.map(({ name }) => name);
    const options = readOptions(process.argv.slice(2), names);
    if (!options.help) return options;
    console.log(`${USAGE}\n\nCases: ${names.join(', ')}`);
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
