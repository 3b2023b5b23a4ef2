import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { type Fault, type Place, shown } from './faults.ts';
import type { LineIndex } from './line-index.ts';
import { nearest } from './nearest.ts';
import { type Environment, substitute } from './substitute.ts';
import { below, type FaultyTree, type MapEntry, type Tree } from './tree.ts';

/** Aliases can make a short file endless; a configuration is neither this deep nor this large. */
const MAX_DEPTH = 40;
const MAX_NODES = 20_000;
export const ENDLESS = 'expected a configuration, got a structure without end';

interface Position {
  path: string;
  depth: number;
  /** Where the parent stands, for a value that has no place of its own. */
  parent: Place;
}

/** Turns one parsed YAML document into a tree, environment put in. Faults are collected, not thrown. */
export class YamlTreeBuilder {
  readonly faults: Fault[] = [];
  readonly #file: string;
  readonly #lines: LineIndex;
  readonly #env: Environment;
  #nodes = 0;
  #isEndless = false;

  constructor(file: string, lines: LineIndex, env: Environment) {
    this.#file = file;
    this.#lines = lines;
    this.#env = env;
  }

  build(document: Document.Parsed): Tree {
    return this.#tree(document.contents, document, { path: '', depth: 0, parent: this.placeAt(0) });
  }

  placeAt(offset: number): Place {
    return { source: this.#file, ...this.#lines.at(offset) };
  }

  #tree(node: unknown, document: Document.Parsed, position: Position): Tree {
    this.#nodes += 1;
    if (position.depth > MAX_DEPTH || this.#nodes > MAX_NODES) {
      return this.#endless(position.parent);
    }
    if (isAlias(node)) return this.#alias(node, document, position);
    if (isMap(node)) return this.#map(node, document, position);
    if (isSeq(node)) {
      const place = this.#placeOf(node, position);
      const items = node.items.map((item, index) =>
        this.#tree(item, document, { path: below(position.path, index), depth: position.depth + 1, parent: place }),
      );
      return { kind: 'list', place, items };
    }
    return this.#scalar(node, position);
  }

  /** Told once: without an end there is no end of places to tell it of. */
  #endless(place: Place): FaultyTree {
    if (this.#isEndless) return { kind: 'faulty', place };
    this.#isEndless = true;
    return this.#faulty({ path: '', place }, ENDLESS);
  }

  #alias(node: Alias, document: Document.Parsed, position: Position): Tree {
    const target = node.resolve(document);
    if (target !== undefined) return this.#tree(target, document, { ...position, depth: position.depth + 1 });
    const message = 'expected an anchor above its alias, got the alias only; put a value that begins with * in quotes';
    return this.#faulty({ path: position.path, place: this.#placeOf(node, position) }, message);
  }

  #map(node: YAMLMap, document: Document.Parsed, position: Position): Tree {
    const place = this.#placeOf(node, position);
    const entries = new Map<string, MapEntry>();
    for (const pair of node.items) {
      const keyPlace = this.#placeOf(pair.key, { ...position, parent: place });
      const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : null;
      const path = below(position.path, key ?? '?');
      const first = entries.get(key ?? '');
      if (key === null) this.#faulty({ path, place: keyPlace }, 'expected a word as key, got a map, list or alias');
      else if (first !== undefined) {
        const message = `expected every key once, got ${shown(key)} again, first in line ${first.keyPlace.line}`;
        this.#faulty({ path, place: keyPlace }, message);
      } else {
        const value = this.#tree(pair.value, document, { path, depth: position.depth + 1, parent: keyPlace });
        entries.set(key, { key, keyPlace, value, replaced: null });
      }
    }
    return { kind: 'map', place, entries: [...entries.values()] };
  }

  #scalar(node: unknown, position: Position): Tree {
    const place = this.#placeOf(node, position);
    const value: unknown = isScalar(node) ? node.value : null;
    const isQuoted = isScalar(node) && node.type !== undefined && node.type !== 'PLAIN';
    const written = isQuoted ? String(value) : isScalar(node) ? (node.source ?? '') : '';
    const { text, isChanged, missing, isMalformed } = substitute(written, this.#env);
    const at = { path: position.path, place };
    if (isMalformed) return this.#faulty(at, `expected \${NAME} or \${NAME:-default}, got "\${" without them`);
    for (const name of missing) {
      const near = name.length < 6 ? null : nearest(name, Object.keys(this.#env));
      this.#faulty(at, `expected the environment variable ${name} to be set, got nothing`, near);
    }
    if (missing.length > 0) return { kind: 'faulty', place };
    const isPlainValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return { kind: 'scalar', place, value: isPlainValue ? value : null, text, isQuoted, isUntyped: isChanged };
  }

  #faulty(at: { path: string; place: Place }, message: string, suggestion: string | null = null): FaultyTree {
    this.faults.push({ ...at, message, suggestion });
    return { kind: 'faulty', place: at.place };
  }

  #placeOf(node: unknown, position: Position): Place {
    const range = isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? node.range : null;
    return range ? this.placeAt(range[0]) : position.parent;
  }
}
