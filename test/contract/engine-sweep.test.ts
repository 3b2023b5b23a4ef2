import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { committedSweep, sweepSection } from '../../scripts/sweep/section.ts';

const page = readFileSync(new URL('../../docs/ACCURACY.md', import.meta.url), 'utf8');
const sweep = committedSweep();

test('docs/ACCURACY.md says what docs/engine-sweep.json holds', () => {
  expect(page).toContain(sweepSection(sweep).join('\n'));
});

test('the committed sweep has every step, and each of them on both sides', () => {
  expect(sweep.steps.map(({ concurrency }) => concurrency)).toEqual([1, 2, 4, 8, 16]);
  for (const { unmatched, miscounted } of sweep.steps)
    expect({ unmatched, miscounted }).toEqual({ unmatched: 0, miscounted: 0 });
  const bins = sweep.curve.map(({ concurrency }) => concurrency);
  expect(bins).toEqual(expect.arrayContaining([1, 2, 4, 8, 16]));
});
