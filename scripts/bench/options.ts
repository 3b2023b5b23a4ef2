import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface Options {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Names of the cases to run; null = all. */
  readonly cases: readonly string[] | null;
  /** Where the figures go as JSON, if anywhere. */
  readonly json: string | null;
  /** The `main.js` of another build, to be measured in place of these sources. */
  readonly pitot: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [--case NAME]… [--rounds N] [--seconds N] [--json FILE] [--pitot MAIN.JS]

  --case NAME      only this case; may be given again
  --rounds N       rounds over all contestants (5); the medians over the rounds are reported
  --seconds N      length of one measurement (8)
  --json FILE      also write the figures, round by round, as JSON
  --pitot MAIN.JS  measure that build; without it these sources are built first`;

/** @throws Error with one sentence for what cannot be understood. */
export function readOptions(args: string[], caseNames: readonly string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      case: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '8' },
      json: { type: 'string' },
      pitot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.case ?? []).find((name) => !caseNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no case "${unknown}"; there are ${caseNames.join(', ')}.`);
  if (values.pitot !== undefined && !existsSync(values.pitot)) throw new Error(`There is no ${values.pitot}.`);
  return {
    rounds: wholeNumber('--rounds', values.rounds, { from: 1, to: 100 }),
    seconds: wholeNumber('--seconds', values.seconds, { from: 1, to: 120 }),
    cases: values.case ?? null,
    json: values.json ?? null,
    pitot: values.pitot ?? null,
    help: values.help,
  };
}

function wholeNumber(flag: string, text: string, { from, to }: { from: number; to: number }): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= from && number <= to) return number;
  throw new Error(`${flag} wants a whole number from ${from} to ${to}, got "${text}".`);
}
