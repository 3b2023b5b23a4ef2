import { type TObject, type TSchema, Type } from 'typebox';
import { nearest } from './nearest.ts';
import { below } from './tree.ts';

/** The key that was likely meant: one of the same map, else one of the same name further in (`token` → `admin.token`). */
export function suggestKey(key: string, schemas: readonly TObject[]): string | null {
  const here = schemas.flatMap((schema) => Object.keys(schema.properties));
  const near = nearest(key, here);
  if (near !== null) return near;
  for (const schema of schemas) {
    const found = pathTo(key, schema, '');
    if (found !== null) return found;
  }
  return null;
}

function pathTo(key: string, schema: TObject, path: string): string | null {
  const entries = Object.entries(schema.properties);
  if (path !== '' && entries.some(([name]) => name === key)) return below(path, key);
  for (const [name, child] of entries) {
    const inner = objectsOf(Type.IsArray(child) ? child.items : child);
    const innerPath = Type.IsArray(child) ? below(below(path, name), 0) : below(path, name);
    for (const object of inner) {
      const found = pathTo(key, object, innerPath);
      if (found !== null) return found;
    }
  }
  return null;
}

/** The kinds of map a schema accepts: itself, or the branches of a union; none for a leaf. */
export function objectsOf(schema: TSchema): TObject[] {
  if (Type.IsObject(schema)) return [schema];
  return Type.IsUnion(schema) ? schema.anyOf.filter((branch) => Type.IsObject(branch)) : [];
}
