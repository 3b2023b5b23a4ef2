import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A recorded answer (see the corpus's own README). The numbers of `expected` are the provider's, not normalised. */
export interface CorpusEntry {
  file: string;
  /** Provider and endpoint. */
  api: string;
  /** Wire format: names the dialect that reads it. */
  format: string;
  framing: 'sse' | 'ndjson' | 'eventstream' | 'json';
  method: string;
  path: string;
  status: number;
  content_type: string;
  model: string;
  request: Record<string, unknown> | null;
  expected: {
    has_usage: boolean;
    input_tokens: number | null;
    output_tokens: number | null;
    total_tokens?: number | null;
    cached_tokens?: number | null;
    reasoning_tokens?: number | null;
    cache_write_tokens?: number | null;
  };
  usage_raw: unknown;
  /** Length of the answer's text, reasoning and tool calls left out. */
  output_text_chars: number;
  features: string[];
}

const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the recordings are: `PITOT_CORPUS`, by default beside the project. */
const CORPUS_ROOT = resolve(process.env['PITOT_CORPUS'] ?? join(PROJECT_ROOT, '..', 'shared', 'corpus'));

/** The entries of these formats, or all of them (null); null, loudly, where there is no corpus. */
export function corpusEntries(formats: readonly string[] | null): CorpusEntry[] | null {
  const index = join(CORPUS_ROOT, 'index.json');
  if (!existsSync(index)) {
    process.stderr.write(`\nNO CORPUS at ${CORPUS_ROOT}: tests on recorded answers are SKIPPED. Set PITOT_CORPUS.\n\n`);
    return null;
  }
  const entries = JSON.parse(readFileSync(index, 'utf8')) as CorpusEntry[];
  return formats === null ? entries : entries.filter((entry) => formats.includes(entry.format));
}

export function corpusBody(entry: CorpusEntry): Buffer {
  return readFileSync(join(CORPUS_ROOT, entry.file));
}

/** `text/event-stream` of `text/event-stream; charset=utf-8`. */
export function mediaTypeOf(entry: CorpusEntry): string {
  return (entry.content_type.split(';')[0] ?? '').trim().toLowerCase();
}
