import { type CorpusEntry, corpusBody, corpusEntries } from '../helpers/corpus.ts';

/** One recorded answer, and the path it was an answer of. */
export interface Recording {
  readonly entry: CorpusEntry;
  readonly path: string;
  readonly bytes: Buffer;
}

/** The path without the host that some recordings name, and without the query. */
const pathOf = ({ path }: CorpusEntry): string => path.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*$/s, '');

/** All recorded answers; none where there is no corpus, and then what needs them is skipped. */
export const recordings: readonly Recording[] = (corpusEntries(null) ?? []).map((entry) => ({
  entry,
  path: pathOf(entry),
  bytes: corpusBody(entry),
}));

/** The recording with this number, as a recipe names it. */
export function recording(number: number): Recording {
  const found = recordings[number % recordings.length];
  if (found === undefined) throw new Error('there are no recordings');
  return found;
}

/** What has broken readers: ends of lines and events, brackets, escapes, numbers at their bounds, names of other dialects. */
export const INTERESTING: readonly string[] = [
  ...['\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r', ':', ': '],
  ...['data:', 'data: ', 'event: ', 'error: ', 'data: [DONE]\n\n'],
  ...['{', '}', '[', ']', '"', '\\', '\\u00', '\\ud83d', ',', 'null', 'true', '{}', '[]', '""'],
  ...['0', '-1', '1e999', '9007199254740993', '1e-9', '0.5', '-0', '99999999999999999999'],
  ...['"usage":null', '"usage":{}', '"choices":[]', '"index":4294967296', '"index":-1', '"__proto__":', '"error":{}'],
  ...['\xef\xbb\xbf', '\xf0\x9f', '\xff', '\x00', '\x00\x00\x00\x10', '\xff\xff\xff\xff'],
];
