import type { YAMLError } from 'yaml';
import { ENDLESS } from './yaml-tree.ts';

/**
 * What is wrong with a text as YAML, in our words: the library's sentences quote the text around the fault,
 * and that may be a token.
 */
const BY_CODE: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'expected an alias like *name, got none that can be read',
  BAD_DIRECTIVE: 'expected no directives, got a line that begins with %',
  BAD_DQ_ESCAPE: 'expected an escape such as \\n or \\", got an unknown one; single quotes take a backslash as it is',
  BAD_SCALAR_START: 'expected a value, got a reserved character; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'expected one value after the key, got a second colon; put the value in quotes',
  BLOCK_IN_FLOW: 'expected a value within { } or [ ], got a block',
  MULTILINE_IMPLICIT_KEY: 'expected a key on one line, got one over several',
  NON_STRING_KEY: 'expected a word as key, got something else',
  RESOURCE_EXHAUSTION: ENDLESS,
  TAB_AS_INDENT: 'expected spaces as indentation, got a tab',
  TAG_RESOLVE_FAILED: 'expected no tags, got an unknown one',
  UNEXPECTED_TOKEN: 'expected the end of the value or the next key, got something else',
};

/** Codes that stand for several things are told apart by how the library's sentence begins. */
const BY_BEGINNING: readonly [string, string][] = [
  ['Flow map', 'expected a closing } before this place, got none'],
  ['Flow sequence', 'expected a closing ] before this place, got none'],
  ['All mapping items', 'expected the keys of one map in one column, got one that is not'],
  ['Sequence item without', 'expected "- " before the item of a list, got something else'],
  ['Missing closing', 'expected a closing quote, got the end of the file'],
  ['Missing , or :', 'expected a comma between the values within { } or [ ], got none'],
  ['Implicit map keys', 'expected a colon and a value after the key, got none'],
];

/** One sentence for one error. What has none of ours is described as far as the library's holds no text of the file. */
export function sentenceOf(error: YAMLError, text: string): string {
  const offset = error.pos[0];
  if (text.slice(offset - 1, offset + 1) === '${') {
    return `expected a value, got a brace; within { } and [ ] put "\${NAME}" in quotes`;
  }
  const known = BY_CODE[error.code] ?? BY_BEGINNING.find(([beginning]) => error.message.startsWith(beginning))?.[1];
  if (known !== undefined) return known;
  const [sentence = ''] = error.message.split(/: |"/);
  return `expected YAML, got a fault in its form: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1).trim()}`;
}
