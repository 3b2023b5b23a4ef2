import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { formatFault } from '../../src/config/faults.ts';
import { type Loaded, loadText } from '../../src/config/load.ts';
import { NO_FLAGS } from '../../src/config/overrides.ts';
import { printConfig } from '../../src/config/redact.ts';
import { law } from './law.ts';
import { edits, mutated } from './mutations.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = readFileSync(join(ROOT, 'config/gateway.example.yaml'));
const FIXTURES = ['valid', 'invalid'].flatMap((folder) => {
  const path = join(ROOT, 'test/fixtures/config', folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(path, name)));
});
const TEXTS = [EXAMPLE, ...FIXTURES];
const CANARY = 'canary-3f9a';

const ENVIRONMENT = { A: 'x', PITOT_ADMIN_TOKEN: CANARY, PITOT_SALT: CANARY };
const load = (text: string, env: Record<string, string> = ENVIRONMENT): Loaded =>
  loadText('f.yaml', text, { flags: NO_FLAGS, env });

/** To the environment; written so that no reader takes them for templates of this file. */
const references = ['A}', '', 'B:-c}', 'NOT_THERE}'].flatMap((rest) => [`$\{${rest}`, `$$\{${rest}`]);

/** What YAML gives a meaning to, and what a configuration does. */
const YAML = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    ' ',
    '  ',
    ':',
    ': ',
    '- ',
    '? ',
    '#',
    ' #',
    ',',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
  ],
  ...['&a ', '*a', '<<: *a', '!x ', '!!binary ', '---\n', '...\n', '%YAML 1.1\n', '@', '`', '\x85', '\xe2\x80\xa8'],
  ...['null', '~', 'true', 'yes', '0', '-1', '1e999', '.nan', '0x1F', '0o7', '2026-01-01', '99999999999999999999'],
  ...[
    '10s',
    '1.5h',
    '30d',
    '0ms',
    '1MiB',
    '-1B',
    '127.0.0.1:0',
    '[::1]:80',
    ':80',
    'http://a:b@c/?d',
    'https://',
    'gpt-*',
  ],
  ...[...references, 'token', 'upstreams:\n', 'workloads:\n', 'slo: ', '__proto__: ', 'constructor: '],
];
const ODD_VALUES = [
  null,
  true,
  -1,
  0,
  0.5,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  '',
  'x',
  '10s',
  '1MiB',
  ...references,
  [],
  {},
  [null],
  { a: { b: {} } },
];

/** Each fault is one line: its place, which there is, and what was expected there. */
function expectClear(text: string, loaded: Loaded): void {
  if (loaded.kind === 'loaded') return;
  expect(loaded.faults).not.toEqual([]);
  const lines = text.split('\n');
  for (const fault of loaded.faults) {
    const said = formatFault(fault);
    expect(said).toMatch(/^f\.yaml:\d+:\d+: [^\p{Cc}\u2028\u2029]*expected [^\p{Cc}\u2028\u2029]*$/u);
    expect(said).not.toContain(CANARY);
    const { line, column } = fault.place;
    expect(line ?? 0, said).toBeGreaterThan(0);
    expect(line ?? 0, said).toBeLessThanOrEqual(lines.length);
    expect(column ?? 0, said).toBeGreaterThan(0);
    expect(column ?? 0, said).toBeLessThanOrEqual((lines[(line ?? 1) - 1] ?? '').length + 1);
  }
}

const change = fc.record({
  /** Which of the places in it, counted through. */
  place: fc.nat(300),
  how: fc.constantFrom<'value' | 'key' | 'gone' | 'twice'>('value', 'key', 'gone', 'twice'),
  value: fc.constantFrom(...ODD_VALUES),
});

/** The value with one place in it changed, counted through depth first. */
function changed(
  value: unknown,
  { place, how, value: instead }: { place: number; how: string; value: unknown },
): unknown {
  let left = place;
  const visit = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).flatMap(([key, inner]): [string, unknown][] => {
      left -= 1;
      if (left !== 0) return [[key, visit(inner)]];
      if (how === 'gone') return [];
      if (how === 'key') return [[`${key}s`, inner]];
      return how === 'twice'
        ? [
            [key, inner],
            [key, inner],
          ]
        : [[key, instead]];
    });
    return Array.isArray(node) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
  };
  return visit(value);
}

describe('a configuration, whatever stands in it', () => {
  law(
    'is loaded, or refused with sentences that have their places',
    400,
    fc.property(fc.nat(TEXTS.length - 1), edits(YAML), (number, changes) => {
      const bytes = mutated(TEXTS[number] ?? EXAMPLE, changes);
      // What a file with these bytes is refused for, before anybody reads it.
      if (bytes.includes(0)) return;
      const text = bytes.toString('utf8');
      expectClear(text, load(text));
    }),
  );

  law(
    'means what it says: of another shape, too',
    200,
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
      const text = stringify(changes.reduce(changed, parse(EXAMPLE.toString('utf8'))));
      expectClear(text, load(text));
    }),
  );

  law(
    'is the same when it was printed and loaded again',
    200,
    fc.property(fc.nat(TEXTS.length - 1), edits(YAML, 3), (number, changes) => {
      const loaded = load(mutated(TEXTS[number] ?? EXAMPLE, changes).toString('utf8'));
      if (loaded.kind === 'faulty') return;
      const { admin, identity } = loaded.config;
      // What is hidden cannot be loaded again.
      const config = { ...loaded.config, admin: { ...admin, token: null }, identity: { ...identity, salt: null } };
      const printed = printConfig(config);
      expect(printed).not.toContain(CANARY);
      const again = load(printed, {});
      if (again.kind === 'loaded') expect(again.config).toEqual(config);
      // Without its token, a port that is not local is a fault; nothing else may be.
      else expect(again.faults.map(({ path }) => path)).toEqual(['admin.listen']);
    }),
  );
});
