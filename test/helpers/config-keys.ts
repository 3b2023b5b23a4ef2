import { type TSchema, Type } from 'typebox';

/** Every key of a configuration schema, written `upstreams[].match.path`. Keys of free maps are not among them. */
export function keysOf(schema: TSchema, path = ''): string[] {
  if (Type.IsArray(schema)) return keysOf(schema.items, `${path}[]`);
  if (Type.IsUnion(schema)) return schema.anyOf.flatMap((branch) => keysOf(branch, path));
  if (!Type.IsObject(schema)) return [];
  return Object.entries(schema.properties).flatMap(([key, child]) => {
    const inside = path === '' ? key : `${path}.${key}`;
    return [inside, ...keysOf(child, inside)];
  });
}
