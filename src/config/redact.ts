import { type TSchema, Type } from 'typebox';
import * as Value from 'typebox/value';
import { stringify } from 'yaml';
import { SECRET_HEADERS } from './check.ts';
import { annotation, SECRET } from './leaves.ts';
import { type Config, configSchema } from './schema.ts';
import { escapeReferences } from './substitute.ts';

/** Stands for a secret. Its spaces keep it from being taken for one when the text is loaded again. */
export const HIDDEN = 'hidden by pitot print-config';

/**
 * The configuration as YAML, every key with its value, secrets hidden. Durations and sizes stand in readable units;
 * where there is no secret, loading the text gives the same configuration.
 */
export function printConfig(config: Config): string {
  const encoded: unknown = Value.Encode(configSchema, withoutKeys(config));
  return stringify(hide(configSchema, encoded), { lineWidth: 0, indentSeq: true });
}

function hide(schema: TSchema, value: unknown): unknown {
  if (annotation(schema, SECRET) === true) return value === null ? null : HIDDEN;
  if (Type.IsArray(schema) && Array.isArray(value)) return value.map((item) => hide(schema.items, item));
  if (typeof value === 'string') return escapeReferences(value);
  if (typeof value !== 'object' || value === null) return value;
  const properties: Readonly<Record<string, TSchema>> = Type.IsObject(schema) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hide(properties[key] ?? Type.Unknown(), inner)]),
  );
}

/** A workload may be told by a key that its clients send: the key is no less secret for that. */
function withoutKeys(config: Config): Config {
  const workloads = config.workloads.map((workload) => {
    const header = Object.entries(workload.match.header).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name.toLowerCase()) ? HIDDEN : value,
    ]);
    return { ...workload, match: { header: Object.fromEntries(header) } };
  });
  return { ...config, workloads };
}
