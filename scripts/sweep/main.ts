import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import type { Children } from '../bench/children.ts';
import { thisMachine } from '../bench/machine.ts';
import { measure, ROOT } from '../bench/measuring.ts';
import { runStep, type ToolStep } from './aiperf.ts';
import { compareStep } from './compare.ts';
import type { Counted, Sweep } from './figures.ts';
import { grown, MeasuredPitot } from './measured-pitot.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { sweepTables } from './section.ts';
import { curvePoints, toolBins } from './tool-windows.ts';

/** `npm run sweep`: what Pitot says of a real engine, beside what a public benchmark tool says of the same requests. */

interface Step {
  readonly concurrency: number;
  readonly tool: ToolStep;
  readonly counted: Counted;
}

async function sweep(options: Options, children: Children): Promise<Sweep> {
  const time = new Date().toISOString();
  const pitot = await MeasuredPitot.start(children, resolve(options.pitot ?? `${ROOT}dist/main.js`), options.engine);
  const unixLessMonotonicMs = systemClock.epochMs() - systemClock.nowMs();
  const steps: Step[] = [];
  for (const concurrency of options.concurrencies) {
    console.error(`  … ${concurrency} at once`);
    const before = await pitot.metrics();
    const tool = await runStep(children, options, { url: pitot.url, concurrency });
    await pitot.settle();
    steps.push({ concurrency, tool, counted: grown(before, await pitot.metrics()) });
  }
  const records = pitot.records();
  const bins = toolBins(
    steps.flatMap(({ tool }) => tool.requests),
    (unixMs) => unixMs - unixLessMonotonicMs,
  );
  return {
    time,
    machine: thisMachine(),
    engine: options.about,
    tool: `AIPerf ${steps[0]?.tool.version ?? ''}`,
    pitot: pitot.about,
    seconds: options.seconds,
    lengths: { input: lengthText(options.input), output: lengthText(options.output) },
    steps: steps.map((step) => compareStep(step, records)),
    curve: curvePoints(await pitot.curve(), bins),
  };
}

function lengthText({ mean, deviation }: Options['input']): string {
  return `${mean} ± ${deviation}`;
}

await measure({
  read: () => readOptions(process.argv.slice(2), process.env),
  usage: USAGE,
  run: async (options, children) => {
    const figures = await sweep(options, children);
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
    console.log(sweepTables(figures).join('\n'));
  },
});
