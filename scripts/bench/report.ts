import type { CaseResult, Column, Figure } from './cases/case.ts';
import { GOALS, verdictOf } from './goals.ts';

/** The figures as text for people. */

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

function figureCells(figure: Figure): string[] {
  const goal = GOALS[figure.goal];
  const { what, unit, digits, best, reach, limit } = goal;
  const value = figure.value === null ? '–' : `${figure.value.toFixed(digits)} ${unit}`;
  const sign = best === 'low' ? '≤' : '≥';
  return [
    figure.where === '' ? what : `${what} (${figure.where})`,
    value,
    rangeText(figure, digits),
    `goal ${sign} ${reach}, limit ${limit}`,
    verdictOf(goal, figure.value),
  ];
}

/** The lowest and highest of the rounds, or nothing. */
export function rangeText({ range }: Pick<Figure, 'range'>, digits: number): string {
  return range === null ? '' : `${range[0].toFixed(digits)} to ${range[1].toFixed(digits)}`;
}

export function cell(value: number | null, { digits }: Pick<Column, 'digits'>): string {
  return value === null ? '–' : value.toFixed(digits);
}

/** Names to the left, everything else to the right. */
function aligned(lines: readonly (readonly string[])[]): string {
  const width = (at: number) => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(width(0)) : text.padStart(width(at)));
  return lines.map((line) => `  ${line.map(pad).join('   ')}`.trimEnd()).join('\n');
}
