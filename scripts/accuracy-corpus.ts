import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodingOf } from '../src/tokens/encoding.ts';
import type { CountRequest, OutputText } from '../src/tokens/protocol.ts';
import { inputOf } from '../src/tokens/read-input.ts';
import type { AnswerHead, Dialect, FactSink } from '../src/wire/facts.ts';
import { endpointOf } from '../src/wire/registry.ts';

export const CORPUS_ROOT =
  process.env['PITOT_CORPUS'] ?? fileURLToPath(new URL('../../shared/corpus', import.meta.url));

/** What this script reads of an entry of the corpus' index. */
interface Entry {
  file: string;
  provider: string;
  method: string;
  path: string;
  status: number;
  content_type: string | null;
  model: string | null;
  request: { model?: string } | null;
  request_edits?: unknown[];
  expected: {
    input_tokens?: number | null;
    output_tokens?: number | null;
    reasoning_tokens?: number | null;
    has_usage: boolean;
  };
}

/** A recorded answer with the provider's own counts, and what the local tokenizer is given of it. */
export interface Recording {
  name: string;
  api: string;
  counting: CountRequest;
  /** Null where the request was not kept, or not kept whole. */
  inputTokens: number | null;
  outputTokens: number;
  reasoningTokens: number;
}

/** Who hands on OpenAI's own counts. */
const PROVIDERS = ['openai', 'azure', 'litellm-proxy'];

/** Long texts of many kinds: what all entries of the corpus hold, one behind the other. */
export function longTexts(): { name: string; text: string }[] {
  const entries = corpusEntries();
  const streams = entries.map(({ file }) => readFileSync(join(CORPUS_ROOT, file), 'utf8'));
  const requests = entries.flatMap(({ request }) => (request === null ? [] : JSON.stringify(request)));
  return [
    { name: 'recorded answers as they came', text: streams.join('') },
    { name: 'their requests', text: requests.join('') },
  ];
}

function corpusEntries(): Entry[] {
  // Written by the corpus' makers; check.mjs beside it holds it to this shape.
  return JSON.parse(readFileSync(join(CORPUS_ROOT, 'index.json'), 'utf8'));
}

/** The recordings of OpenAI's models whose provider reported usage, read by the gateway's own dialects. */
export function recordings(): Recording[] {
  return corpusEntries()
    .filter(({ provider }) => PROVIDERS.includes(provider))
    .flatMap(recordingOf);
}

function recordingOf(entry: Entry): Recording[] {
  const { dialect, api } = endpointOf(entry.method, entry.path.split('?')[0] ?? '');
  const { expected, request } = entry;
  const { output_tokens: outputTokens, input_tokens: inputTokens } = expected;
  // A usage of zeros is a placeholder of a stream that was cut before its usage.
  const model = entry.model ?? request?.model ?? null;
  if (
    !encodingOf(model).isOwn ||
    dialect === null ||
    !expected.has_usage ||
    !inputTokens ||
    typeof outputTokens !== 'number'
  )
    return [];
  const isWhole = request !== null && (entry.request_edits ?? []).length === 0;
  return [
    {
      name: entry.file.replace('streams/', ''),
      api,
      counting: {
        model,
        output: outputOf(entry, dialect),
        input: isWhole ? inputOf(request) : null,
      },
      inputTokens: isWhole ? inputTokens : null,
      outputTokens,
      reasoningTokens: expected.reasoning_tokens ?? 0,
    },
  ];
}

function outputOf(entry: Entry, dialect: Dialect): OutputText[] {
  const output: OutputText[] = [];
  const ignore = () => {};
  const sink: FactSink = {
    event: ignore,
    output: (choice, channel, text) => output.push({ choice, channel, text }),
    alike: (event) => output.push({ choice: event.choice, channel: event.channel, text: event.text() }),
    usage: ignore,
    choiceTokens: ignore,
    choiceEnded: ignore,
    model: ignore,
    failed: ignore,
    timings: ignore,
    degraded: (reason) => console.warn(`${entry.file}: ${reason}`),
  };
  const mediaType = (entry.content_type ?? '').split(';')[0]?.trim() ?? '';
  const head: AnswerHead = { status: entry.status, mediaType, header: () => null };
  const opened = dialect.open(head, sink, 16 * 1_024 * 1_024);
  opened?.reader.push(readFileSync(join(CORPUS_ROOT, entry.file)));
  opened?.reader.end(true);
  return output;
}
