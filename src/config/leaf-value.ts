import { type TSchema, Type } from 'typebox';
import * as Value from 'typebox/value';
import { shown } from './faults.ts';
import { annotation, KIND, SECRET, VERBATIM } from './leaves.ts';
import { nearest } from './nearest.ts';
import { REPAIRS } from './repairs.ts';
import type { ScalarTree, Tree } from './tree.ts';

/** The value of one scalar as its key wants it, or undefined where none of its readings is accepted. */
export function leafValue(schema: TSchema, scalar: ScalarTree): unknown {
  return readings(schema, scalar).find((reading) => Value.Check(schema, reading));
}

/**
 * A value that was written has the type YAML gave it. A value from the environment or a flag is text at first:
 * it is tried as a number, true, false or null too, as YAML would have read it; a secret never is.
 */
function readings(schema: TSchema, scalar: ScalarTree): unknown[] {
  if (annotation(schema, VERBATIM) === true) return scalar.value === null ? [null] : [scalar.text];
  if (!scalar.isUntyped) return [scalar.value];
  if (annotation(schema, SECRET) === true) return [scalar.text];
  const typed = asYamlWould(scalar.text);
  return scalar.isQuoted ? [scalar.text, typed] : [typed, scalar.text];
}

function asYamlWould(text: string): unknown {
  if (/^(null|~|)$/i.test(text)) return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : text;
}

/** What a value is called in a fault: quoted text, a number as written, `nothing`, `a map`. Secrets are not shown. */
export function described(schema: TSchema, tree: Tree): string {
  if (tree.kind === 'map') return 'a map';
  if (tree.kind === 'list') return 'a list';
  if (tree.kind === 'faulty' || (tree.text === '' && !tree.isQuoted)) return 'nothing';
  if (annotation(schema, SECRET) === true) return 'a value that is not shown';
  if (typeof tree.value === 'string') return shown(tree.text);
  return `the ${typeof tree.value === 'number' ? 'number' : 'value'} ${tree.text.slice(0, 80)}`;
}

/** What is expected, in words: the schema's title, and `or null` where null is accepted. */
export function expectation(schema: TSchema): string {
  const own = annotation(schema, 'title');
  if (typeof own === 'string') return own;
  if (Type.IsArray(schema)) return 'a list';
  if (Type.IsObject(schema)) return `a map of ${keyList(Object.keys(schema.properties))}`;
  if (!Type.IsUnion(schema)) return 'a map';
  const [inner] = schema.anyOf.filter((branch) => !Type.IsNull(branch));
  return inner === undefined ? 'null' : `${expectation(inner)}, or null`;
}

const LONGEST_LIST = 6;
const keyList = (keys: readonly string[]) =>
  keys.length > LONGEST_LIST ? `${keys.slice(0, LONGEST_LIST).join(', ')} and more` : keys.join(', ');

/** A value near the one that was written; whatever this returns would be accepted. */
export function suggestion(schema: TSchema, scalar: ScalarTree): string | null {
  if (annotation(schema, SECRET) === true) return null;
  if (Type.IsEnum(schema)) return nearest(scalar.text, schema.enum.map(String));
  for (const [pattern, replacement] of REPAIRS[kindOf(schema)] ?? []) {
    const text = scalar.text.trim().replace(pattern, replacement);
    const isAccepted = leafValue(schema, { ...scalar, text, isUntyped: true }) !== undefined;
    if (isAccepted && text !== scalar.text) return text;
  }
  return null;
}

function kindOf(schema: TSchema): string {
  const branches = Type.IsUnion(schema) ? [schema, ...schema.anyOf] : [schema];
  return String(branches.map((branch) => annotation(branch, KIND)).find((kind) => kind !== undefined));
}
