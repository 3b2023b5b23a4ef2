import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Of the same load before each measurement. */
  readonly leadSeconds: number;
  readonly isQuick: boolean;
  /** Names of the cases to run; null = all. */
  readonly cases: readonly string[] | null;
  /** Names of the contestants; null = all. */
  readonly only: readonly string[] | null;
  /** Where the figures go as JSON, if anywhere. */
  readonly json: string | null;
  /** The `main.js` of another build, to be measured in place of these sources. */
  readonly pitot: string | null;
  /** The `main.js` of another build, to be measured beside. */
  readonly against: string | null;
  readonly nodes: readonly string[];
  readonly portkey: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [--quick] [--case NAME]… [--only NAME]… [--rounds N] [--seconds N] [--json FILE] [--pitot MAIN.JS]
                 [--against MAIN.JS] [--node PROGRAM]… [--portkey FOLDER]

  --quick          a first look in five minutes: without haproxy, http-proxy and portkey, 2 rounds of 1 s
  --case NAME      only this case; may be given again
  --only NAME      only this contestant; may be given again
  --rounds N       rounds over all contestants (5); the medians over the rounds are reported
  --seconds N      length of one measurement (3)
  --json FILE      also put the figures, round by round, into this file; other cases that it holds stay as they are
  --pitot MAIN.JS  measure that build; without it these sources are built first
  --against MAIN.JS  measure that build too, as pitot-against
  --node PROGRAM   Pitot on that Node too, as pitot-nodeMAJOR; may be given again (or BENCH_NODE=PROGRAM:PROGRAM)
  --portkey FOLDER where Portkey's gateway was installed with npm (or BENCH_PORTKEY=FOLDER)`;

/** Of a run whose figures are kept. */
export const FULL = { rounds: '5', seconds: '3', warmUpSeconds: 12, leadSeconds: 5 };
const QUICK = { rounds: '2', seconds: '1', warmUpSeconds: 2, leadSeconds: 1 };

/** @throws Error with one sentence for what cannot be understood. */
export function readOptions(args: string[], caseNames: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      case: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      pitot: { type: 'string' },
      against: { type: 'string' },
      node: { type: 'string', multiple: true },
      portkey: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.case ?? []).find((name) => !caseNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no case "${unknown}"; there are ${caseNames.join(', ')}.`);
  const pace = values.quick ? QUICK : FULL;
  return {
    rounds: wholeNumber('--rounds', values.rounds ?? pace.rounds, { from: 1, to: 100 }),
    seconds: wholeNumber('--seconds', values.seconds ?? pace.seconds, { from: 1, to: 120 }),
    warmUpSeconds: pace.warmUpSeconds,
    leadSeconds: pace.leadSeconds,
    isQuick: values.quick,
    cases: values.case ?? null,
    only: values.only ?? null,
    json: values.json ?? null,
    pitot: fileThatIs(values.pitot),
    against: fileThatIs(values.against),
    nodes: (values.node ?? (env['BENCH_NODE'] ?? '').split(delimiter).filter(Boolean)).map((node) => resolve(node)),
    portkey: values.portkey ?? env['BENCH_PORTKEY'] ?? null,
    help: values.help,
  };
}

function fileThatIs(path: string | undefined): string | null {
  if (path === undefined) return null;
  if (!existsSync(path)) throw new Error(`There is no ${path}.`);
  return resolve(path);
}

function wholeNumber(flag: string, text: string, { from, to }: { from: number; to: number }): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= from && number <= to) return number;
  throw new Error(`${flag} wants a whole number from ${from} to ${to}, got "${text}".`);
}
