import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatFault } from '../../../src/config/faults.ts';
import { type Loaded, loadText } from '../../../src/config/load.ts';
import { NO_FLAGS } from '../../../src/config/overrides.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/config');
const TEXTS = ['valid', 'invalid'].flatMap((folder) =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(FIXTURES, folder, name), 'latin1')),
);

const load = (text: string): Loaded => loadText('f.yaml', text, { flags: NO_FLAGS, env: { A: 'x', B: '' } });

/** What a hand, an editor or a template may do to a text. */
const mutation = fc.record({
  text: fc.constantFrom(...TEXTS),
  at: fc.nat(3_000),
  length: fc.nat(20),
  put: fc.oneof(
    fc.constantFrom(
      '\t',
      '\n',
      ' ',
      ':',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '#',
      '&a',
      '*a',
      '!x',
      '|',
      '>',
      '${',
      '\u0000',
    ),
    fc.constantFrom(`\${A}`, `\${B:-1}`, `\${C}`, '<<: *a', 'null', '-1', '1e999', '.nan', '---\n', '...\n', '%', '@'),
    fc.string(),
  ),
});
const mutated = mutation.map(({ text, at, length, put }) => {
  const start = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, start) + put + text.slice(start + length);
});

/** Each fault is one line that begins with its place and says what was expected. */
function expectClear(loaded: Loaded): void {
  if (loaded.kind === 'loaded') return;
  expect(loaded.faults).not.toEqual([]);
  for (const fault of loaded.faults) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is what is tested
    expect(formatFault(fault)).toMatch(/^f\.yaml:\d+:\d+: [^\u0000-\u001f]*expected [^\u0000-\u001f]*$/);
  }
}

describe('whatever stands in a configuration', () => {
  it('a changed text is loaded or refused with clear faults', () => {
    fc.assert(
      fc.property(mutated, (text) => expectClear(load(text))),
      { numRuns: 1_500 },
    );
  });

  it('any value is loaded or refused with clear faults', () => {
    const value = fc.object({
      key: fc.constantFrom('listen', 'admin', 'upstreams', 'name', 'url', 'slo', '\n', '__proto__'),
    });
    fc.assert(
      fc.property(value, (any) => expectClear(load(stringify(any)))),
      { numRuns: 500 },
    );
  });

  it('a suggested value is one that is accepted', () => {
    const texts = [
      '10 sec',
      '5 MIN',
      '1.5 hours',
      '8mb',
      '64 kib',
      ':8080',
      '8080',
      '::1:80',
      'tcp://a:1',
      'yes',
      'host',
      'v1',
    ];
    const places = ['shutdown_grace', 'limits: { event_bytes', 'listen', 'admin: { public', 'log: { level'];
    for (const [place, text] of places.flatMap((one) => texts.map((other) => [one, other] as const))) {
      const close = place.includes('{') ? ' }' : '';
      const file = (value: string) => `upstreams: [{ name: a, url: "http://a:1" }]\n${place}: "${value}"${close}\n`;
      const loaded = load(file(text));
      const near = loaded.kind === 'faulty' ? loaded.faults[0]?.suggestion : null;
      // A flag is no text: what is suggested for it stands without quotes.
      if (near) expect(load(file(near).replace(/"(true|false)"/, '$1')).kind, `${place}: ${text}`).toBe('loaded');
    }
  });

  it.each([
    ['brackets', (n: number) => `a: ${'['.repeat(n)}`],
    ['braces', (n: number) => '{a: '.repeat(n)],
    ['dashes', (n: number) => '- '.repeat(n)],
    ['question marks', (n: number) => '? '.repeat(n)],
    ['indentation', (n: number) => Array.from({ length: n / 100 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('a hundred thousand %s do not end the process', (_, text) => {
    const loaded = load(text(100_000));
    expect(loaded.kind === 'faulty' ? loaded.faults.map(({ message }) => message) : []).toEqual([
      'expected a configuration, got a structure without end',
    ]);
  });

  it('a short text that aliases make huge is refused', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(', ')}]\n`;
    const bomb =
      level('a', 'x') + level('b', '*a') + level('c', '*b') + level('d', '*c') + level('e', '*d') + level('f', '*e');
    const loaded = load(bomb);
    const messages = loaded.kind === 'faulty' ? loaded.faults.map(({ message }) => message) : [];
    expect(messages).toContain('expected a configuration, got a structure without end');
    expect(messages.length).toBeLessThan(20);
  });
});
