import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LINK_LABELS } from '../../scripts/rules/text.ts';
import { CATALOG } from '../../src/metrics/catalog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((room) => `src/${room.name}/README.md`),
].filter((page) => existsSync(join(ROOT, page)));
const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const text = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const matches = (page: string, pattern: RegExp) => [...text(page).matchAll(pattern)].map(([, found]) => found ?? '');

describe.each(PAGES)('%s', (page) => {
  it('links only to files that exist', () => {
    const links = [...matches(page, /\]\(([^)#]+)/g), ...matches(page, /src="([^"]+)"/g)];
    const local = links.filter((link) => !/^https?:/.test(link));
    expect(local.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it('names only files that exist', () => {
    const named = matches(page, /`((?:src|test|docs|config|scripts|\.ci)\/[\w./-]+)`/g);
    // A room's README may leave out the `src/` that all rooms share.
    const bases = page.startsWith('src/') ? [ROOT, join(ROOT, 'src')] : [ROOT];
    expect(named.filter((path) => !bases.some((base) => existsSync(join(base, path))))).toEqual([]);
  });

  it('names only metrics that exist', () => {
    const names = new Set([...CATALOG.map(({ name }) => name), ...Object.keys(LINK_LABELS)]);
    // Behind a colon it is the name of a recording rule, which the test of the rules knows.
    const named = matches(page, /(?<!:)\b(pitot_[a-z0-9_]*[a-z0-9])/g).map((name) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    );
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it('names only commands of package.json', () => {
    const builtIn = ['ci', 'pack', 'install'];
    const named = matches(page, /\bnpm (?:run )?([a-z][\w:]*)/g).filter((name) => !builtIn.includes(name));
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
