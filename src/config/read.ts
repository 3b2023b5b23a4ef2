import { type TArray, type TObject, type TRecord, type TSchema, Type } from 'typebox';
import { type Fault, type Place, shown } from './faults.ts';
import { described, expectation, leafValue, suggestion } from './leaf-value.ts';
import { annotation } from './leaves.ts';
import type { Environment } from './substitute.ts';
import { objectsOf, suggestKey } from './suggest-key.ts';
import { below, type ListTree, type MapEntry, type MapTree, type Tree, treeOf } from './tree.ts';

/**
 * Reads a tree by a schema: every key gets its value or its default, every fault is collected. The value is whole
 * even then: a sound stand-in takes the place of what is faulty, so that the rest can be checked in the same run.
 */
export class TreeReader {
  readonly faults: Fault[] = [];
  /** Where the value of each path stands; for a default, where it would be written. */
  readonly places = new Map<string, Place>();
  /** Paths at which a stand-in stands. */
  readonly standIns = new Set<string>();
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The value as a file would have it (durations as text). */
  read(schema: TSchema, tree: Tree, path: string): unknown {
    this.places.set(path, tree.place);
    if (tree.kind === 'faulty') return this.#standIn(schema, tree.place, path);
    const objects = objectsOf(schema);
    if (tree.kind === 'map') {
      const object = objects.find((one) => tree.entries.some(({ key }) => Object.hasOwn(one.properties, key)));
      const chosen = object ?? (objects.length === 1 ? objects[0] : undefined);
      if (chosen !== undefined) return this.#map(chosen, tree, path);
      if (Type.IsRecord(schema)) return this.#record(schema, tree, path);
      const [entry] = tree.entries;
      if (objects.length > 0 && entry !== undefined) return this.#unknownChoice(schema, objects, { entry, path });
    }
    if (tree.kind === 'list' && Type.IsArray(schema)) return this.#list(schema, tree, path);
    const value = tree.kind === 'scalar' ? leafValue(schema, tree) : undefined;
    return value === undefined ? this.#refuse(schema, tree, path) : value;
  }

  #map(schema: TObject, tree: MapTree, path: string): unknown {
    const given = new Map(tree.entries.map((entry) => [entry.key, entry]));
    const unknown = tree.entries.filter(({ key }) => !Object.hasOwn(schema.properties, key));
    const meant = new Set(unknown.map((entry) => this.#unknownKey([schema], entry, path)));
    const values: Record<string, unknown> = {};
    for (const [key, child] of Object.entries(schema.properties)) {
      const entry = given.get(key);
      const inner = below(path, key);
      if (entry?.replaced) this.read(child, entry.replaced, inner);
      if (entry !== undefined) values[key] = this.read(child, entry.value, inner);
      else
        values[key] = meant.has(key) ? this.#standIn(child, tree.place, inner) : this.#absent(child, tree.place, inner);
    }
    return values;
  }

  #record(schema: TRecord, tree: MapTree, path: string): unknown {
    const pairs: [string, unknown][] = [];
    for (const [pattern, child] of Object.entries<TSchema>(schema.patternProperties)) {
      for (const { key, keyPlace, value } of tree.entries) {
        // `__proto__` would vanish on the way into an object, and its rule with it.
        if (key !== '__proto__' && new RegExp(pattern, 'u').test(key)) {
          pairs.push([key, this.read(child, value, below(path, key))]);
        } else {
          const message = `expected ${String(annotation(schema, 'keyTitle'))} as key, got ${shown(key)}`;
          this.#fault({ place: keyPlace, path: below(path, key) }, message);
        }
      }
    }
    return Object.fromEntries(pairs);
  }

  #list(schema: TArray, tree: ListTree, path: string): unknown {
    return tree.items.map((item, index) => this.read(schema.items, item, below(path, index)));
  }

  #absent(schema: TSchema, place: Place, path: string): unknown {
    const fallback = annotation(schema, 'default');
    if (fallback !== undefined) return this.read(schema, treeOf(fallback, place, this.#env), path);
    this.#fault({ place, path }, `expected ${expectation(schema)}, got nothing`);
    return this.#standIn(schema, place, path);
  }

  #refuse(schema: TSchema, tree: Tree, path: string): unknown {
    const near = tree.kind === 'scalar' ? suggestion(schema, tree) : null;
    this.#fault({ place: tree.place, path }, `expected ${expectation(schema)}, got ${described(schema, tree)}`, near);
    return this.#standIn(schema, tree.place, path);
  }

  #unknownChoice(schema: TSchema, objects: TObject[], at: { entry: MapEntry; path: string }): unknown {
    this.#unknownKey(objects, at.entry, at.path);
    return this.#standIn(schema, at.entry.keyPlace, at.path);
  }

  /** The key that was likely meant, or null. */
  #unknownKey(schemas: readonly TObject[], { key, keyPlace }: MapEntry, path: string): string | null {
    const known = schemas.flatMap((schema) => Object.keys(schema.properties)).join(', ');
    const near = suggestKey(key, schemas);
    const expected = near === null ? `one of the keys ${known}` : 'a known key';
    this.#fault({ place: keyPlace, path: below(path, key) }, `expected ${expected}, got ${shown(key)}`, near);
    return near;
  }

  #standIn(schema: TSchema, place: Place, path: string): unknown {
    this.standIns.add(path);
    const fallback = annotation(schema, 'default');
    const examples = annotation(schema, 'examples');
    const example: unknown = Array.isArray(examples) ? examples[0] : {};
    // Without the environment: what stands there may be the very fault.
    return this.read(schema, treeOf(fallback === undefined ? example : fallback, place, {}), path);
  }

  #fault(at: { place: Place; path: string }, message: string, suggestion: string | null = null): void {
    this.faults.push({ ...at, message, suggestion });
  }
}
