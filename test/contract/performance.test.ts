import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GOALS } from '../../scripts/bench/goals.ts';
import { readResults } from '../../scripts/bench/results.ts';
import { PERFORMANCE_DOC, PERFORMANCE_RESULTS, performanceDoc, readTruth } from '../../scripts/gen-performance.ts';

const results = readResults(PERFORMANCE_RESULTS) ?? expect.fail('docs/performance.json is missing');

it('docs/PERFORMANCE.md is what the results in docs/performance.json say', () => {
  expect(readFileSync(PERFORMANCE_DOC, 'utf8')).toBe(performanceDoc(results, readTruth()));
});

it('every figure is judged by a goal that there is', () => {
  const goals = results.cases.flatMap(({ figures }) => figures.map(({ goal }) => goal));
  expect(goals.filter((goal) => !(goal in GOALS))).toEqual([]);
});
