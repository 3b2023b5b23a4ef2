import { type TSchema, Type } from 'typebox';
import * as Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { annotation } from '../../../src/config/leaves.ts';
import { TreeReader } from '../../../src/config/read.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { treeOf } from '../../../src/config/tree.ts';

interface Node {
  path: string;
  schema: TSchema;
  isKey: boolean;
}

/** Every node of the schema: keys, items of lists, branches, values of records. */
function nodes(schema: TSchema, path: string, isKey: boolean): Node[] {
  const own = [{ path, schema, isKey }];
  if (Type.IsObject(schema)) {
    return own.concat(
      Object.entries(schema.properties).flatMap(([key, child]) => nodes(child, `${path}.${key}`, true)),
    );
  }
  if (Type.IsRecord(schema)) {
    const values: TSchema[] = Object.values(schema.patternProperties);
    return own.concat(values.flatMap((child) => nodes(child, `${path}.*`, false)));
  }
  if (Type.IsArray(schema)) return own.concat(nodes(schema.items, `${path}[]`, false));
  if (!Type.IsUnion(schema)) return own;
  return own.concat(
    schema.anyOf.filter((branch) => Type.IsObject(branch)).flatMap((branch) => nodes(branch, path, false)),
  );
}

const ALL = nodes(configSchema, '', false);
const PLACE = { source: 'test', line: 1, column: 1 };

describe('the schema', () => {
  it('describes every key', () => {
    const silent = ALL.filter(({ schema, isKey }) => isKey && !annotation(schema, 'description'));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('gives every plain number its unit', () => {
    const isNumber = (schema: TSchema) => Type.IsNumber(schema) || Type.IsInteger(schema);
    const numbers = ALL.filter(
      ({ schema }) =>
        isNumber(schema) || (Type.IsUnion(schema) && schema.anyOf.some((branch) => Type.IsNumber(branch))),
    ).filter(({ schema }) => annotation(schema, 'verbatim') !== true);
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.filter(({ schema }) => !annotation(schema, 'unit')).map(({ path }) => path)).toEqual([]);
  });

  it('has for every value a default or an example, and each is sound', () => {
    for (const { path, schema } of ALL) {
      const examples = annotation(schema, 'examples');
      const samples = [annotation(schema, 'default'), ...(Array.isArray(examples) ? examples : [])];
      const given = samples.filter((sample) => sample !== undefined);
      if (!Type.IsObject(schema)) expect(given, path).not.toEqual([]);
      for (const sample of given) {
        const reader = new TreeReader({});
        const value = reader.read(schema, treeOf(sample, PLACE, {}), path);
        expect(reader.faults, path).toEqual([]);
        expect(Value.Check(schema, value), path).toBe(true);
      }
    }
  });

  it('knows its keys: a change here is a change of the public interface', () => {
    expect(ALL.filter(({ isKey }) => isKey).map(({ path }) => path.slice(1))).toMatchSnapshot();
  });
});
