import { OUTCOMES } from '../meter/record.ts';
import type { GroupKey } from './group-keys.ts';
import type { Report, Row } from './report.ts';
import { type Column, tableLines } from './table.ts';
import type { Totals } from './totals.ts';

/** Longer names are cut in the table; JSON has them whole. */
const LONGEST_NAME = 40;
const NOTHING = '–';
/** What a terminal might take for more than text: names are chosen by clients. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

interface Figure {
  readonly title: string;
  readonly align: Column['align'];
  readonly text: (totals: Totals) => string;
}

const number = new Intl.NumberFormat('en-US');
const right = (title: string, text: Figure['text']): Figure => ({ title, align: 'right', text });
const left = (title: string, text: Figure['text']): Figure => ({ title, align: 'left', text });
const count = (value: number | null) => (value === null ? NOTHING : number.format(value));
const countOrNone = (value: number) => (value === 0 ? NOTHING : number.format(value));

const FIGURES: readonly Figure[] = [
  right('requests', ({ requests }) => count(requests)),
  right('input', ({ tokens }) => count(tokens.input_tokens)),
  right('cached', ({ tokens }) => count(tokens.cached_input_tokens)),
  right('output', ({ tokens }) => count(tokens.output_tokens)),
  right('reasoning', ({ tokens }) => count(tokens.reasoning_tokens)),
  right('partial', ({ sources }) => countOrNone(sources.partial.requests)),
  right('estimated', ({ sources }) => countOrNone(sources.estimated.requests)),
  right('uncounted', ({ uncounted }) => countOrNone(uncounted)),
  right('tok/s p50', ({ speed }) => decimal(speed.at(0.5))),
  right('tok/s p10', ({ speed }) => decimal(speed.at(0.1))),
  right('TTFT p95', ({ ttftMs }) => duration(ttftMs.at(0.95))),
  left('first (UTC)', ({ first }) => minute(first)),
  left('last (UTC)', ({ last }) => minute(last)),
  left('not complete', failures),
];

/** For people. A column in which no row has anything is left out; without any record there is no table. */
export function reportTable({ by, rows, total }: Report): string {
  if (total.requests === 0) return '';
  const hasGroups = by.length > 0;
  const all: readonly Row[] = hasGroups
    ? [...rows, { values: null, totals: total }]
    : [{ values: null, totals: total }];
  const names = by.map((key, index): Column => ({ title: titleOf(key), align: 'left', cells: nameCells(rows, index) }));
  const figures = FIGURES.map(({ title, align, text }) => ({
    title,
    align,
    cells: all.map((row) => text(row.totals)),
  }));
  const told = figures.filter(({ title, cells }) => title === 'requests' || cells.some((cell) => cell !== NOTHING));
  return [...tableLines([...names, ...told], hasGroups), ...notes(total), ''].join('\n');
}

const titleOf = (key: GroupKey) => (key === 'day' ? 'day (UTC)' : key);

/** The first column says of the last row that it is the sum. */
function nameCells(rows: readonly Row[], index: number): string[] {
  const cells = rows.map(({ values }) =>
    values === null ? (index === 0 ? '(the rest)' : '') : nameOf(values[index] ?? null),
  );
  return [...cells, index === 0 ? 'total' : ''];
}

function nameOf(value: string | null): string {
  if (value === null) return NOTHING;
  const safe = value.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  const characters = [...safe];
  return characters.length <= LONGEST_NAME ? safe : `${characters.slice(0, LONGEST_NAME - 1).join('')}…`;
}

/** What must be known beside the sums, or they would seem more than they are. */
function notes({ sources, tokens, uncounted, inputUnknown }: Totals): string[] {
  const output = tokens.output_tokens ?? 0;
  const { estimated, partial } = sources;
  const told = [
    [estimated.outputTokens, `${share(estimated.outputTokens, output)} of the output tokens are estimated.`],
    [
      partial.outputTokens,
      `${share(partial.outputTokens, output)} of the output tokens are running counts of answers that were cut.`,
    ],
    [uncounted, `Requests whose output nobody counted: ${number.format(uncounted)}. The sums lack it.`],
    [inputUnknown, `Requests whose input nobody counted: ${number.format(inputUnknown)}. The sums lack it.`],
  ] as const;
  const said = told.filter(([amount]) => amount > 0).map(([, sentence]) => sentence);
  return said.length === 0 ? [] : ['', ...said];
}

function failures({ outcomes, requests }: Totals): string {
  const failed = OUTCOMES.filter((outcome) => outcome !== 'complete' && outcomes[outcome] > 0);
  if (failed.length === 0) return NOTHING;
  const all = failed.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const parts = failed
    .sort((a, b) => outcomes[b] - outcomes[a])
    .map((outcome) => `${outcome} ${share(outcomes[outcome], requests)}`);
  return parts.length === 1 ? `${parts[0]}` : `${share(all, requests)}: ${parts.join(', ')}`;
}

function share(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  if (percent < 100 && percent > 99.9) return '>99.9%';
  return `${percent.toFixed(1)}%`;
}

function decimal(value: number | null): string {
  return value === null ? NOTHING : value.toFixed(value < 100 ? 1 : 0);
}

function duration(ms: number | null): string {
  if (ms === null) return NOTHING;
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

function minute(time: string): string {
  return time === '' ? NOTHING : time.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
}
