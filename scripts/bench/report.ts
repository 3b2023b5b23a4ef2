import type { CaseResult, Column, Figure } from './cases/case.ts';
import type { Machine } from './machine.ts';

/** The figures as text for people. */

export function machineText(machine: Machine): string {
  const { cores, cpu, kernel, node, nginx } = machine;
  return `${cores} cores of ${cpu}, Linux ${kernel}, Node ${node}, nginx ${nginx ?? 'not installed'}, load average ${machine.loadAverage.toFixed(1)} at the start`;
}

export function caseText(title: string, result: CaseResult): string {
  const { table, figures, notes } = result;
  const columns = [...table.columns];
  const body = table.rows.map(({ name, values }) => [
    name,
    ...columns.map((column, at) => cell(values[at] ?? null, column)),
  ]);
  const head = ['', ...columns.map((column) => column.title)];
  const units = ['', ...columns.map((column) => column.unit)];
  const parts = [
    title,
    aligned([head, units, ...body]),
    aligned(figures.map(figureCells)),
    notes.map((note) => `  ${note}`).join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function isReached({ value, goal }: Figure): boolean | null {
  return value === null ? null : value <= goal;
}

function figureCells(figure: Figure): string[] {
  const { name, value, range, unit, digits, goal } = figure;
  const reached = isReached(figure);
  const verdict = reached === null ? 'not measured' : reached ? 'reached' : 'NOT REACHED';
  const between = range === null ? '' : `(${range.map((end) => end.toFixed(digits)).join(' to ')})`;
  return [name, value === null ? '–' : `${value.toFixed(digits)} ${unit}`, between, `goal ≤ ${goal} ${unit}`, verdict];
}

function cell(value: number | null, { digits }: Column): string {
  return value === null ? '–' : value.toFixed(digits);
}

/** Names to the left, everything else to the right. */
function aligned(lines: readonly (readonly string[])[]): string {
  const width = (at: number) => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(width(0)) : text.padStart(width(at)));
  return lines.map((line) => `  ${line.map(pad).join('   ')}`.trimEnd()).join('\n');
}
