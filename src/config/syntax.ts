import { type Document, parseAllDocuments, visit, type YAMLError } from 'yaml';
import type { Fault } from './faults.ts';
import { LineIndex } from './line-index.ts';
import type { Environment } from './substitute.ts';
import { sentenceOf } from './syntax-sentences.ts';
import type { Tree } from './tree.ts';
import { ENDLESS, YamlTreeBuilder } from './yaml-tree.ts';

export interface Parsed {
  tree: Tree | null;
  faults: Fault[];
}

/** YAML text as a tree. With faults of syntax the tree is null: what would be said of its content would be guesswork. */
export function parseYaml(file: string, text: string, env: Environment): Parsed {
  const builder = new YamlTreeBuilder(file, new LineIndex(text), env);
  const refuse = (offset: number, message: string): Parsed => ({
    tree: null,
    faults: [{ place: builder.placeAt(offset), path: null, message, suggestion: null }],
  });
  if (isTooDeep(text)) return refuse(0, ENDLESS);
  const documents = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false });
  const [first, second] = documents;
  if (first === undefined || first.contents === null) {
    return refuse(0, 'expected a map of keys such as listen and upstreams, got an empty file');
  }
  const errors = [...first.errors, ...first.warnings];
  const faults = errors.flatMap((error) => refuse(offsetOf(error, first), sentenceOf(error, text)).faults);
  if (second !== undefined) faults.push(...refuse(second.range[0], 'expected one document, got a second one').faults);
  if (faults.length > 0) return { tree: null, faults: firstOfEachLine(faults) };
  return { tree: builder.build(first), faults: builder.faults };
}

/**
 * The library descends by recursion and ends the process when the stack ends within a regular expression.
 * No configuration is a hundred levels deep, so such a text is refused before it is parsed.
 */
function isTooDeep(text: string): boolean {
  const steps = [...text.matchAll(/[[{]|[\]}]/g)].map(([bracket]) => (bracket === '[' || bracket === '{' ? 1 : -1));
  let depth = 0;
  const isDeepInBrackets = steps.some((step) => {
    depth = Math.max(0, depth + step);
    return depth > 100;
  });
  return isDeepInBrackets || /([-?:][ \t]+){100}|^[ ]{400}/m.test(text);
}

/** Where an error is to be mended: a quote that is never closed is noticed at the end, and wrong at its beginning. */
function offsetOf(error: YAMLError, document: Document.Parsed): number {
  const [offset] = error.pos;
  if (error.code !== 'MISSING_CHAR' || !error.message.startsWith('Missing closing')) return offset;
  let opening = offset;
  visit(document, {
    Scalar(_key, { type, range }) {
      const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      if (isQuoted && range && range[0] < offset && offset <= range[2]) opening = range[0];
    },
  });
  return opening;
}

/** One slip brings several complaints; the first of a line is the one to mend. */
function firstOfEachLine(faults: readonly Fault[]): Fault[] {
  return faults.filter((fault, index) => faults.findIndex((other) => other.place.line === fault.place.line) === index);
}
