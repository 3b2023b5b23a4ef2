import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Children } from '../bench/children.ts';
import { thisMachine } from '../bench/machine.ts';
import { CASES } from './cases.ts';
import type { CaseFigures, TruthRun } from './figures.ts';
import { measureCase } from './measure-case.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { MeasuredPitot, Parties } from './parties.ts';
import { findSaturation, type Saturation } from './saturation.ts';
import { truthTables } from './section.ts';

/** `npm run truth`: what the meter says, held against what was really written. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const say = (line: string) => console.error(`  … ${line}`);

async function truth(options: Options, children: Children): Promise<void> {
  const main = resolve(options.pitot ?? `${root}dist/main.js`);
  const parties = new Parties(children);
  const port = await parties.upstreamPort();
  const start = () => MeasuredPitot.start(children, main, port);
  let pitot = await start();
  const saturation = await saturationOf(options, pitot, parties);
  const cases: CaseFigures[] = [];
  for (const truthCase of CASES.filter(({ name }) => options.only?.includes(name) ?? true)) {
    say(truthCase.name);
    if (!truthCase.isSequel) {
      await pitot.stop(children);
      pitot = await start();
    }
    const users = Math.max(1, Math.round(saturation.users * truthCase.load));
    cases.push(await measureCase(pitot, parties, { ...options, truthCase, users }));
  }
  const { cores, cpu, kernel, node } = thisMachine();
  const machine = { cores, cpu, kernel, node };
  const run: TruthRun = {
    time: new Date().toISOString(),
    machine,
    saturation: saturation.tokensPerSecond,
    seconds: options.seconds,
    cases,
  };
  console.log(truthTables(run).join('\n'));
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(run, null, 2)}\n`);
}

async function saturationOf(options: Options, pitot: MeasuredPitot, parties: Parties): Promise<Saturation> {
  if (options.users !== null) return { users: options.users, tokensPerSecond: Number.NaN };
  return await findSaturation(pitot, parties, say);
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
    console.log(`${USAGE}\n\nCases:\n  ${names.join('\n  ')}`);
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
  await truth(options, children);
} catch (error) {
  // What is stopped by an interrupt fails: that is no news.
  if (!isInterrupted) console.error(sentenceOf(error));
  process.exitCode = isInterrupted ? 130 : 1;
}
await children.stopAll();
