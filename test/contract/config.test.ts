import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as JsonSchema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_DOC, configDoc } from '../../scripts/gen-config-doc.ts';
import { fileSchema } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { NO_FLAGS } from '../../src/config/overrides.ts';
import { configSchema, type UpstreamConfig } from '../../src/config/schema.ts';
import { keysOf } from '../helpers/config-keys.ts';

const FOLDER = join(import.meta.dirname, '../../config');
const EXAMPLE = join(FOLDER, 'gateway.example.yaml');
const exampleText = readFileSync(EXAMPLE, 'utf8');
const example: unknown = parse(exampleText);
const committed: Record<string, unknown> = JSON.parse(readFileSync(join(FOLDER, 'gateway.schema.json'), 'utf8'));

/** The keys that a value holds, written as the schema's: `upstreams[].match.path`. */
function keysIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const inside = path === '' ? key : `${path}.${key}`;
    return [inside, ...keysIn(inner, inside)];
  });
}

describe('config/gateway.example.yaml', () => {
  it('loads without a warning', () => {
    const loaded = loadConfig({ ...NO_FLAGS, config: EXAMPLE }, {});
    expect(loaded).toMatchObject({ kind: 'loaded', warnings: [] });
  });

  it('holds every key of the schema', () => {
    // The other two sources of a user stand in its comment: a list that held all three would be no default.
    const told = [...keysIn(example, ''), 'identity.user[].header', 'identity.user[].body'];
    expect(keysOf(configSchema).filter((key) => !told.includes(key))).toEqual([]);
  });

  it('shows the defaults, but for what its comments call an example', () => {
    const isExample = ['name', 'url', 'gpus', 'gpu_price_per_hour', 'conditions', 'floor'];
    const loaded = loadConfig({ ...NO_FLAGS, config: EXAMPLE }, {});
    const bare = loadConfig({ ...NO_FLAGS, upstream: 'http://10.0.0.5:8000' }, {});
    if (loaded.kind === 'faulty' || bare.kind === 'faulty') throw new Error('expected both to load');
    const plain = (upstream: UpstreamConfig | undefined) =>
      Object.fromEntries(Object.entries(upstream ?? {}).filter(([key]) => !isExample.includes(key)));
    expect(plain(loaded.config.upstreams[0])).toEqual(plain(bare.config.upstreams[0]));
    expect({ ...loaded.config, upstreams: [], models: [], workloads: [] }).toEqual({ ...bare.config, upstreams: [] });
  });
});

describe('config/gateway.schema.json', () => {
  it('is what `npm run gen` makes of the schema in code', () => {
    expect(committed).toEqual(fileSchema());
  });

  it('accepts the example', () => {
    expect(JsonSchema.Check(committed, example)).toBe(true);
  });

  it.each([
    ['an unknown key', { upstream: [] }],
    ['a missing name', { upstreams: [{ url: 'http://a' }] }],
    ['a duration without a unit', { shutdown_grace: 10 }],
    ['a wrong engine', { upstreams: [{ name: 'a', url: 'http://a', engine: 'vlm' }] }],
    ['a list in place of a map', { admin: [] }],
    ['an unknown source of users', { identity: { user: [{ cookie: 'a' }] } }],
  ])('refuses %s', (_, value) => {
    expect(JsonSchema.Check(committed, value)).toBe(false);
  });

  it.each([
    ['nothing but an upstream', { upstreams: [{ name: 'a', url: 'http://a' }] }],
    [
      'any value from the environment',
      { workers: `\${WORKERS:-2}`, admin: { public: `\${PUBLIC}` }, shutdown_grace: `\${G}` },
    ],
    ['null where null is allowed', { upstreams: [{ name: 'a', url: 'http://a', gpus: null, floor: null }] }],
  ])('accepts %s', (_, value) => {
    expect(JsonSchema.Check(committed, value)).toBe(true);
  });
});

describe('docs/CONFIG.md', () => {
  it('is what `npm run gen` makes of the schema in code', () => {
    expect(readFileSync(CONFIG_DOC, 'utf8')).toBe(configDoc());
  });

  it('has a line for every key that holds a value, with what it means', () => {
    const told = new Map(
      [...configDoc().matchAll(/^\| `([^`]+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map(([, key, ...cells]) => [key, cells]),
    );
    const groups = ['admin', 'identity', 'limits', 'estimate', 'usage_log', 'state', 'metrics', 'log'];
    expect(keysOf(configSchema).filter((key) => !told.has(key) && !groups.includes(key))).toEqual([]);
    expect([...told].filter(([, cells]) => cells.some((cell) => cell === '')).map(([key]) => key)).toEqual([]);
  });
});
