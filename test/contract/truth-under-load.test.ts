import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CASES } from '../../scripts/truth/cases.ts';
import { committedTruth, truthSection } from '../../scripts/truth/section.ts';

const page = readFileSync(new URL('../../docs/ACCURACY.md', import.meta.url), 'utf8');

test('docs/ACCURACY.md says what docs/truth-under-load.json holds', () => {
  expect(page).toContain(truthSection(committedTruth()).join('\n'));
});

test('the committed run has every case', () => {
  expect(committedTruth().cases.map(({ name }) => name)).toEqual(CASES.map(({ name }) => name));
});
