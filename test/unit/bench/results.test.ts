import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { MeasuredCase, Results } from '../../../scripts/bench/results.ts';
import { readResults, resultsToAddTo, withCase, writeResults } from '../../../scripts/bench/results.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

const MACHINE = { cores: 2, cpu: 'some CPU', memoryGb: 8, kernel: '6.1', node: '20.19.0' };

function measured(name: string, value: number): MeasuredCase {
  const figures = [{ goal: 'event-cpu', where: '', value, range: [value, value] }] as const;
  const empty = { contestants: [], notes: [], table: { columns: [], rows: [] }, measurements: [{ value }] };
  return { name, title: name, time: '2026-01-01T00:00:00Z', rounds: 1, seconds: 1, loadAverage: 0, ...empty, figures };
}

const names = ({ cases }: Results) => cases.map(({ name }) => name);

test('a case takes the place of its earlier figures, and the order is that of the cases', () => {
  const order = ['first', 'second', 'third'];
  let results: Results = { machine: MACHINE, cases: [] };
  for (const [name, value] of [
    ['third', 1],
    ['first', 2],
    ['third', 3],
    ['second', 4],
  ] as const) {
    results = withCase(results, measured(name, value), order);
  }
  expect(names(results)).toEqual(order);
  expect(results.cases.map(({ figures }) => figures[0]?.value)).toEqual([2, 4, 3]);
});

test('a file is read as it was written, to six digits, one measurement a line', async () => {
  await using folder = await tempDir();
  const file = folder.file('results.json');
  expect(readResults(file)).toBeNull();
  writeResults(file, { machine: MACHINE, cases: [measured('a', 1.23456789)] });
  expect(resultsToAddTo(file, MACHINE)).toEqual({ machine: MACHINE, cases: [measured('a', 1.23457)] });
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim()),
  ).toContain('"measurements": [{"value":1.23457}],');
});

test('figures of another machine are not mixed in', async () => {
  await using folder = await tempDir();
  const file = folder.file('results.json');
  writeResults(file, { machine: MACHINE, cases: [measured('a', 1)] });
  expect(() => resultsToAddTo(file, { ...MACHINE, node: '24.0.0' })).toThrow(/another machine/);
});
