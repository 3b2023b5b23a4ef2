import { parseArgs } from 'node:util';

export interface Options {
  /** Length of the measured stretch of each case. */
  readonly seconds: number;
  /** Before it. */
  readonly warmUpSeconds: number;
  /** Users at saturation; null = it is searched. */
  readonly users: number | null;
  /** Names of the cases to run; null = all. */
  readonly only: readonly string[] | null;
  readonly json: string | null;
  /** The `main.js` of another build. */
  readonly pitot: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run truth -- [--seconds N] [--warm-up N] [--users N] [--case NAME]… [--json FILE] [--pitot MAIN.JS]

  --seconds N      measured in each case (8)
  --warm-up N      seconds before that (11): until the longest window holds nothing else
  --users N        this many saturate one worker; without it saturation is searched
  --case NAME      only this case; may be given again
  --json FILE      also write the figures as JSON; docs/truth-under-load.json becomes a part of docs/ACCURACY.md
  --pitot MAIN.JS  measure that build; without it these sources are built first`;

/** @throws Error with one sentence for what cannot be understood. */
export function readOptions(args: string[], caseNames: readonly string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '8' },
      'warm-up': { type: 'string', default: '11' },
      users: { type: 'string' },
      case: { type: 'string', multiple: true },
      json: { type: 'string' },
      pitot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.case ?? []).find((name) => !caseNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no case "${unknown}"; there are ${caseNames.join('; ')}.`);
  return {
    seconds: wholeNumber('--seconds', values.seconds, 120),
    warmUpSeconds: wholeNumber('--warm-up', values['warm-up'], 120),
    users: values.users === undefined ? null : wholeNumber('--users', values.users, 5_000),
    only: values.case ?? null,
    json: values.json ?? null,
    pitot: values.pitot ?? null,
    help: values.help,
  };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${flag} wants a whole number from 1 to ${most}, got "${text}".`);
}
