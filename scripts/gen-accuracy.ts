import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock.ts';
import { createTokenCounter } from '../src/tokens/counter.ts';
import { encodingOf } from '../src/tokens/encoding.ts';
import type { CountResult, OutputText } from '../src/tokens/protocol.ts';
import { type Recording, recordings } from './accuracy-corpus.ts';
import { samplesSection } from './accuracy-samples.ts';
import { committedSweep, sweepSection } from './sweep/section.ts';
import { committedTruth, truthSection } from './truth/section.ts';

export const ACCURACY_DOC = fileURLToPath(new URL('../docs/ACCURACY.md', import.meta.url));

interface Counted {
  recording: Recording;
  result: CountResult;
}

/** A kind of text, and what of it the local count is held against. */
interface Row {
  kind: string;
  holds(counted: Counted): boolean;
}

const isPlain = ({ result }: Counted) => result.outputs.every(({ channel }) => channel === 'content');
const isAudio = ({ channel }: OutputText) => channel === 'audio';
const isHarmony = ({ recording }: Counted) => encodingOf(recording.counting.model).isHarmony;
const choices = ({ result }: Counted) => new Set(result.outputs.map(({ choice }) => choice)).size;
const input = ({ recording }: Counted) =>
  recording.counting.input === null || 'json' in recording.counting.input ? null : recording.counting.input;

/** First match wins, so that every answer and every prompt stands in one row. */
const OUTPUT_ROWS: readonly Row[] = [
  { kind: 'audio, which is not counted', holds: ({ recording }) => recording.counting.output.some(isAudio) },
  { kind: 'nothing but hidden reasoning', holds: ({ recording }) => recording.counting.output.length === 0 },
  { kind: 'tool or function calls', holds: (counted) => !isPlain(counted) },
  { kind: 'text of a reasoning model, against what is not hidden', holds: isHarmony },
  { kind: 'text, several choices', holds: (counted) => choices(counted) > 1 },
  { kind: 'text', holds: () => true },
];
const INPUT_ROWS: readonly Row[] = [
  { kind: 'with images or audio', holds: (counted) => input(counted)?.isPartial === true },
  { kind: 'chat with tools', holds: (counted) => (input(counted)?.tools.length ?? 0) > 0 },
  { kind: 'chat with a schema or tool calls', holds: (counted) => (input(counted)?.extras.length ?? 0) > 0 },
  { kind: 'chat', holds: (counted) => (input(counted)?.messages.length ?? 0) > 0 },
  { kind: 'completion', holds: () => true },
];

/**
 * docs/ACCURACY.md: what the meter says under load against what was written, and of a real engine against what a
 * benchmark tool says, and the local count against the provider's own, over the recorded answers of OpenAI's models.
 */
export async function accuracyDoc(): Promise<string> {
  const counted = await countAll();
  const outputs = table(OUTPUT_ROWS, counted, outputError);
  const inputs = table(
    INPUT_ROWS,
    counted.filter((one) => inputError(one) !== null),
    inputError,
  );
  const sections = [
    TITLE,
    truthSection(committedTruth()),
    sweepSection(committedSweep()),
    INTRODUCTION,
    ['### Output', '', ...outputs, '', ...OUTPUT_NOTES],
    ['### Prompt', '', ...inputs, '', ...INPUT_NOTES],
    ['### Text that is too long for its budget', '', ...(await samplesSection()), '', ...SAMPLE_NOTES],
    ['### Every recording', '', ...everyRecording(counted)],
  ];
  return `${sections.flat().join('\n')}\n`;
}

async function countAll(): Promise<Counted[]> {
  const counter = createTokenCounter({ budgetMs: 60_000, answerWithinMs: 60_000, clock: systemClock });
  const counted: Counted[] = [];
  for (const recording of recordings()) {
    const result = await counter.count(recording.counting);
    if (result === null) throw new Error(`${recording.name} was not counted`);
    counted.push({ recording, result });
  }
  await counter.close();
  return counted;
}

/** Local less reported; hidden reasoning cannot be counted, so it is taken off the report. */
function outputError({ recording, result }: Counted): number {
  return (result.outputTokens ?? 0) - (recording.outputTokens - recording.reasoningTokens);
}

function inputError({ recording, result }: Counted): number | null {
  if (recording.inputTokens === null || result.inputTokens === null) return null;
  return result.inputTokens - recording.inputTokens;
}

function table(rows: readonly Row[], all: readonly Counted[], errorOf: (one: Counted) => number | null): string[] {
  const errors = new Map<Row, number[]>(rows.map((row) => [row, []]));
  for (const one of all) {
    const row = rows.find(({ holds }) => holds(one));
    if (row !== undefined) errors.get(row)?.push(errorOf(one) ?? 0);
  }
  const lines = [...errors].filter(([, found]) => found.length > 0).reverse();
  return ['| what | recordings | exact | local − reported, in tokens |', '|---|---|---|---|'].concat(
    lines.map(([{ kind }, found]) => `| ${kind} | ${found.length} | ${share(found)} | ${distribution(found)} |`),
  );
}

function share(errors: readonly number[]): string {
  return `${Math.round((100 * errors.filter((error) => error === 0).length) / errors.length)} %`;
}

/** `0 (17 times), −1 (3 times)`: nearest to zero first. */
function distribution(errors: readonly number[]): string {
  const values = [...new Set(errors)].sort((a, b) => Math.abs(a) - Math.abs(b) || b - a);
  return values
    .map((value) => {
      const times = errors.filter((error) => error === value).length;
      return `${signed(value)}${times === 1 ? '' : ` (${times} times)`}`;
    })
    .join(', ');
}

function signed(error: number): string {
  if (error === 0) return '0';
  return error > 0 ? `+${error}` : `−${-error}`;
}

function everyRecording(all: readonly Counted[]): string[] {
  return [
    '| recording | model | output: reported | local | prompt: reported | local |',
    '|---|---|---|---|---|---|',
  ].concat(
    all.map(({ recording, result }) => {
      const { outputTokens, reasoningTokens, inputTokens, counting, name } = recording;
      const reported = reasoningTokens > 0 ? `${outputTokens} (${reasoningTokens} reasoning)` : outputTokens;
      const prompt = [inputTokens ?? 'not kept', inputTokens === null ? '' : (result.inputTokens ?? '')];
      return `| ${[name, counting.model, reported, result.outputTokens ?? 'none', ...prompt].join(' | ')} |`;
    }),
  );
}

const TITLE = [
  '# How true the figures are',
  '',
  '<!-- Generated by `npm run gen` from docs/truth-under-load.json, docs/engine-sweep.json and the recorded corpus (scripts/gen-accuracy.ts). Do not edit. -->',
  '',
];

const INTRODUCTION = [
  '## How good is a local count',
  '',
  "Where an upstream reports no usage, Pitot counts the text itself (`usage_source` is `estimated`), in a worker thread, with the encodings that js-tiktoken ships. This part holds that count against the provider's own, over the recorded answers of OpenAI's models that carry a usage. Recordings are read by the gateway's own dialects and counted by its own counter; differences are local less reported. Models whose tokenizer is not here (Llama, Claude, Gemini and the rest) are counted with `o200k_base` as a stand-in, and no accuracy is claimed for them.",
  '',
];

const OUTPUT_NOTES = [
  'Where text is one short for each choice, the provider counted the token that ended it. It does so for some answers and not for others of the same model, so that Pitot adds none. A reasoning model also writes the marks of its channels, which no client sees: nine or ten tokens here.',
  '',
];

const INPUT_NOTES = [
  'Chat prompts are the texts, the role and the name of each message and the overhead that OpenAI publishes in its cookbook: three tokens a message, three to prime the answer (two for reasoning models, as the harmony format has it), one for a name. Tools are counted by the approximation published there, tool calls and schemas as the text they were sent as: such counts are marked `rough`.',
  '',
];

const SAMPLE_NOTES = [
  'A request may take `estimate.budget_ms` of CPU time. When it has used that up, or its record is due, the rest is extrapolated from what was counted, piece by piece from all over the text, and the count is marked `rough`. The texts above change their kind all the time and so are hard to extrapolate; one prompt or one answer is more of a piece. Where too little was counted, less than a twentieth or less than four pieces of 4,096 characters that are not half of it, the live estimate serves. Fifty milliseconds are enough for a million characters of English or a hundred thousand of Chinese.',
  '',
];

async function generateAccuracyDoc(): Promise<void> {
  writeFileSync(ACCURACY_DOC, await accuracyDoc());
}

if (import.meta.filename === process.argv[1]) await generateAccuracyDoc();
