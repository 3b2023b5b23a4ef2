import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface Options {
  readonly minutes: number;
  readonly workers: number;
  readonly clients: number;
  readonly seed: number;
  /** The `main.js` of another build; null: these sources are built first. */
  readonly pitot: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run soak -- [--minutes N] [--workers N] [--clients N] [--seed N] [--pitot MAIN.JS]

  --minutes N      how long there is traffic (5); a part of a minute will do
  --workers N      relaying processes of Pitot (1)
  --clients N      clients that send one request after the other (24)
  --seed N         for the traffic; by chance, and said, without it
  --pitot MAIN.JS  soak that build; without it these sources are built first

Exit code 1 when a rule was broken.`;

/** @throws Error with one sentence for what cannot be understood. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '5' },
      workers: { type: 'string', default: '1' },
      clients: { type: 'string', default: '24' },
      seed: { type: 'string' },
      pitot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.pitot !== undefined && !existsSync(values.pitot)) throw new Error(`There is no ${values.pitot}.`);
  return {
    minutes: number('--minutes', values.minutes, 0.1),
    workers: number('--workers', values.workers, 1),
    clients: number('--clients', values.clients, 1),
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : number('--seed', values.seed, 0),
    pitot: values.pitot ?? null,
    help: values.help,
  };
}

function number(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (value >= least) return value;
  throw new Error(`${flag} wants a number from ${least} on, got "${text}".`);
}
