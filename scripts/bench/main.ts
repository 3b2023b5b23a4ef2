import { loadavg } from 'node:os';
import { CASES } from './cases/cases.ts';
import type { Children } from './children.ts';
import { ask } from './conversation.ts';
import { machineText, thisMachine } from './machine.ts';
import { measure, ROOT } from './measuring.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { caseText } from './report.ts';
import { resultsToAddTo, withCase, writeResults } from './results.ts';
import type { Site } from './site.ts';
import type { UpstreamAddress } from './upstream.ts';

/** `npm run bench`: what Pitot costs beside others of its kind and beside nothing, in one run on one machine. */

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
    pitot: options.pitot ?? `${ROOT}dist/main.js`,
    // Progress is for eyes: what is read by programs or kept in a file is the result alone.
    say: (line) => console.error(`  … ${line}`),
  };
}

await measure({
  read: () => readOptions(process.argv.slice(2), caseNames, process.env),
  usage: USAGE,
  more: `\n\nCases: ${caseNames.join(', ')}`,
  run: bench,
});
