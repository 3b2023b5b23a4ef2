import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/errors.ts';
import { OUTCOMES } from '../../src/meter/record.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/ERRORS.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(PITOT_\w+)` \| (\d+) \| `(\w+)` \|/gm)];

describe('docs/ERRORS.md', () => {
  it('has a row for every code, with its status, and for no other', () => {
    const documented = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]));
    expect(documented).toEqual(Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])));
  });

  it('names outcomes that records can have', () => {
    for (const [, , , outcome] of rows) expect(OUTCOMES).toContain(outcome);
  });
});
