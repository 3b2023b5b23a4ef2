import { parseArgs } from 'node:util';

/** Tokens, as the tool draws them. */
export interface Length {
  readonly mean: number;
  readonly deviation: number;
}

export interface Options {
  readonly engine: string;
  readonly model: string;
  readonly about: string;
  readonly aiperf: string;
  readonly tokenizer: string;
  readonly concurrencies: readonly number[];
  readonly seconds: number;
  readonly input: Length;
  readonly output: Length;
  readonly json: string | null;
  /** The `main.js` of another build. */
  readonly pitot: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run sweep -- --model NAME [--engine URL] [--about TEXT] [--aiperf PROGRAM] [--tokenizer NAME]
                 [--concurrency 1,2,4,8,16] [--seconds N] [--input MEAN±DEV] [--output MEAN±DEV] [--json FILE] [--pitot MAIN.JS]

  --engine URL       a real inference server (PITOT_TEST_ENGINE_URL)
  --model NAME       the model it serves (PITOT_TEST_ENGINE_MODEL)
  --about TEXT       what the server is and how it is set, for the report
  --aiperf PROGRAM   NVIDIA's AIPerf, \`pip install aiperf\` (aiperf)
  --tokenizer NAME   a folder with the model's tokenizer, so that nothing is fetched (builtin)
  --concurrency LIST requests in flight, one step for each (1,2,4,8,16)
  --seconds N        in which each step begins new requests (60)
  --input, --output  tokens of prompt and answer (128±32, 64±16)
  --json FILE        also write the figures as JSON; docs/engine-sweep.json becomes a part of docs/ACCURACY.md
  --pitot MAIN.JS    measure that build; without it these sources are built first`;

/** @throws Error with one sentence for what cannot be understood. */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): Options {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const { values } = parseArgs({
    args,
    options: {
      engine: text(env['PITOT_TEST_ENGINE_URL'] ?? ''),
      model: text(env['PITOT_TEST_ENGINE_MODEL'] ?? ''),
      about: text('an inference server'),
      aiperf: text('aiperf'),
      tokenizer: text('builtin'),
      concurrency: text('1,2,4,8,16'),
      seconds: text('60'),
      input: text('128±32'),
      output: text('64±16'),
      json: { type: 'string' },
      pitot: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!values.help && (values.engine === '' || values.model === ''))
    throw new Error('--engine and --model are needed.');
  return {
    ...values,
    concurrencies: values.concurrency.split(',').map((one) => wholeNumber('--concurrency', one, 1_024)),
    seconds: wholeNumber('--seconds', values.seconds, 3_600),
    input: lengthOf('--input', values.input),
    output: lengthOf('--output', values.output),
    json: values.json ?? null,
    pitot: values.pitot ?? null,
  };
}

function lengthOf(flag: string, text: string): Length {
  const [, mean, deviation] = /^(\d+)±(\d+)$/.exec(text) ?? [];
  if (mean === undefined || deviation === undefined) throw new Error(`${flag} wants MEAN±DEV, got "${text}".`);
  return { mean: Number(mean), deviation: Number(deviation) };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${flag} wants whole numbers from 1 to ${most}, got "${text}".`);
}
