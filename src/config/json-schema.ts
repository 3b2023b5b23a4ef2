import { configSchema } from './schema.ts';

/** Keywords that editors and validators know; our own annotations stay inside. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);
const KEYWORDS = new Set([
  ...ANNOTATIONS,
  ...['type', 'enum', 'const', 'pattern', 'anyOf'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum'],
]);

/** The JSON Schema of the file, for editors: config/gateway.schema.json. A key that has a default is not required. */
export function fileSchema(): unknown {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Pitot gateway',
    ...asRecord(forFile(configSchema)),
    definitions: {
      fromEnvironment: {
        type: 'string',
        pattern: '\\$\\{',
        description: `A value with \${NAME} or \${NAME:-default} in it.`,
      },
    },
  };
}

function forFile(schema: unknown): unknown {
  const record = asRecord(schema);
  const known = Object.fromEntries(Object.entries(record).filter(([key]) => KEYWORDS.has(key)));
  if ('items' in record) return { ...known, items: forFile(record['items']) };
  if (record['type'] === 'object') return { ...known, ...children(record, 'patternProperties'), ...properties(record) };
  const branches = Array.isArray(record['anyOf']) ? record['anyOf'] : [];
  const isOfMaps = branches.some((branch) => asRecord(branch)['type'] === 'object');
  return isOfMaps ? { ...known, anyOf: branches.map(forFile) } : leaf(known);
}

/** Any single value may come from the environment, whatever its type. */
function leaf(known: Readonly<Record<string, unknown>>) {
  const own = Object.entries(known);
  const about = Object.fromEntries(own.filter(([key]) => ANNOTATIONS.has(key)));
  const check = Object.fromEntries(own.filter(([key]) => !ANNOTATIONS.has(key)));
  const { anyOf } = check;
  const branches: unknown[] = Array.isArray(anyOf) ? anyOf : [check];
  return { ...about, anyOf: [...branches.map(bare), { $ref: '#/definitions/fromEnvironment' }] };
}

/** Branches of a single value without our own annotations. */
function bare(schema: unknown): unknown {
  const known = Object.entries(asRecord(schema)).filter(([key]) => KEYWORDS.has(key) && key !== 'default');
  return Object.fromEntries(
    known.map(([key, value]) => [key, key === 'anyOf' && Array.isArray(value) ? value.map(bare) : value]),
  );
}

function children(schema: Readonly<Record<string, unknown>>, keyword: string) {
  if (!(keyword in schema)) return {};
  const entries = Object.entries(asRecord(schema[keyword])).map(([name, child]) => [name, forFile(child)]);
  return { [keyword]: Object.fromEntries(entries) };
}

function properties(schema: Readonly<Record<string, unknown>>) {
  const own = Object.entries(asRecord(schema['properties']));
  const required = own.filter(([, child]) => asRecord(child)['default'] === undefined).map(([name]) => name);
  return {
    ...children(schema, 'properties'),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
