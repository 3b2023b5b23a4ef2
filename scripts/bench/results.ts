import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { CaseResult } from './cases/case.ts';
import { type Machine, machineText } from './machine.ts';

/** The file that runs leave: each case as it was measured last, all on one machine. docs/PERFORMANCE.md is made of it. */
export interface Results {
  readonly machine: Machine;
  readonly cases: readonly MeasuredCase[];
}

export interface MeasuredCase extends CaseResult {
  readonly name: string;
  readonly title: string;
  /** ISO 8601, of the end of the measurement. */
  readonly time: string;
  readonly rounds: number;
  readonly seconds: number;
  /** Of the last minute, before the case: others that ran here then are likely to have run still. */
  readonly loadAverage: number;
}

/** Null where there is no file. */
export function readResults(file: string): Results | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : null;
}

/**
 * What a file holds before a run adds to it.
 * @throws Error when it holds figures of another machine: those are not to be mixed.
 */
export function resultsToAddTo(file: string, machine: Machine): Results {
  const kept = readResults(file) ?? { machine, cases: [] };
  if (isDeepStrictEqual(kept.machine, machine)) return kept;
  throw new Error(
    `${file} holds figures of another machine (${machineText(kept.machine)}): name another file, or remove it.`,
  );
}

/** A case takes the place of its earlier figures; `order` is that of the cases in the file. */
export function withCase(results: Results, measured: MeasuredCase, order: readonly string[]): Results {
  const cases = [...results.cases.filter(({ name }) => name !== measured.name), measured];
  return { ...results, cases: cases.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) };
}

/** One measurement a line, so that a new one shows as such in a diff. */
export function writeResults(file: string, results: Results): void {
  const rounded: unknown = JSON.parse(JSON.stringify(results, (_, value: unknown) => roundedIf(value)));
  writeFileSync(file, `${asText(rounded)}\n`);
}

const WIDTH = 160;
/** More than any measurement is good for. */
const SIGNIFICANT_DIGITS = 6;

function roundedIf(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(SIGNIFICANT_DIGITS)) : value;
}

function asText(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${itemText(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${asText(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

/** Of a list: flat objects stay on their line, however long. */
function itemText(item: unknown, indent: string): string {
  const isFlat = typeof item === 'object' && item !== null && Object.values(item).every((part) => !isNested(part));
  return isFlat ? JSON.stringify(item) : asText(item, indent);
}

function isNested(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.values(part).some((one) => typeof one === 'object');
}
