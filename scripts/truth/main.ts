import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Children } from '../bench/children.ts';
import { thisMachine } from '../bench/machine.ts';
import { measure, ROOT } from '../bench/measuring.ts';
import { CASES } from './cases.ts';
import type { CaseFigures, TruthRun } from './figures.ts';
import { measureCase } from './measure-case.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { MeasuredPitot, Parties } from './parties.ts';
import { findSaturation, type Saturation } from './saturation.ts';
import { truthTables } from './section.ts';

/** `npm run truth`: what the meter says, held against what was really written. */

const say = (line: string) => console.error(`  … ${line}`);

async function truth(options: Options, children: Children): Promise<void> {
  const main = resolve(options.pitot ?? `${ROOT}dist/main.js`);
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

const names = CASES.map(({ name }) => name);
await measure({
  read: () => readOptions(process.argv.slice(2), names),
  usage: USAGE,
  more: `\n\nCases:\n  ${names.join('\n  ')}`,
  run: truth,
});
