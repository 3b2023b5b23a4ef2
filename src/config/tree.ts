import { type Place, sourceOnly } from './faults.ts';
import { type Environment, substitute } from './substitute.ts';

/** A configuration before it is understood: maps, lists and scalars, each with its place. Made from YAML, flags and variables. */
export type Tree = MapTree | ListTree | ScalarTree | FaultyTree;

export interface MapTree {
  kind: 'map';
  place: Place;
  entries: MapEntry[];
}

export interface MapEntry {
  key: string;
  keyPlace: Place;
  value: Tree;
  /** What stood here before a flag or variable replaced it. Checked all the same: a faulty file stays faulty. */
  replaced: Tree | null;
}

export interface ListTree {
  kind: 'list';
  place: Place;
  items: Tree[];
}

export interface ScalarTree {
  kind: 'scalar';
  place: Place;
  /** As YAML understood it. */
  value: string | number | boolean | null;
  /** As it was written, quotes apart, `${…}` replaced. */
  text: string;
  isQuoted: boolean;
  /** It came from the environment or a flag, so it has no type of its own: it is read as its key wants it. */
  isUntyped: boolean;
}

/** What could not be made out. Its fault is told already. */
export interface FaultyTree {
  kind: 'faulty';
  place: Place;
}

export function untyped(text: string, place: Place): ScalarTree {
  return { kind: 'scalar', place, value: text, text, isQuoted: false, isUntyped: true };
}

/** `upstreams[0].match`, from its parts; a key that is no plain word stands in brackets and quotes. */
export function below(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]{1,64}$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, 64))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** A tree with the value at `path` replaced, made where it is missing. Where `path` meets no map, the tree stays: it is faulty there. */
export function replaceAt(tree: Tree, path: readonly string[], value: Tree): Tree {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (tree.kind !== 'map') return tree;
  const old = tree.entries.find((entry) => entry.key === head);
  const inner = old?.value ?? { kind: 'map', place: tree.place, entries: [] };
  const entry: MapEntry = {
    key: head,
    keyPlace: old?.keyPlace ?? value.place,
    value: rest.length === 0 ? value : replaceAt(inner, rest, value),
    replaced: rest.length === 0 ? (old?.value ?? null) : (old?.replaced ?? null),
  };
  return { ...tree, entries: [...tree.entries.filter((other) => other !== old), entry] };
}

/** A default of the schema as the tree it would be in a file. What the environment puts in is placed at its variable. */
export function treeOf(value: unknown, place: Place, env: Environment): Tree {
  if (Array.isArray(value)) return { kind: 'list', place, items: value.map((item) => treeOf(item, place, env)) };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => ({
      key,
      keyPlace: place,
      value: treeOf(inner, place, env),
      replaced: null,
    }));
    return { kind: 'map', place, entries };
  }
  if (typeof value !== 'string') {
    const scalar = typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', place, value: scalar, text: String(scalar), isQuoted: false, isUntyped: false };
  }
  const { text, names } = substitute(value, env);
  const [name] = names.filter((one) => Boolean(env[one]));
  const placed = name === undefined ? place : sourceOnly(name);
  return { kind: 'scalar', place: placed, value: text, text, isQuoted: true, isUntyped: names.length > 0 };
}
