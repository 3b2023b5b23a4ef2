import { type BinsState, LogBins } from '../live/log-bins.ts';
import { isBin } from './concurrency-bins.ts';
import type { KnownCurve } from './curves.ts';
import { CurveBin, LOWEST_THROUGHPUT } from './operating-curve.ts';
import { FIGURES, LOWEST, SeriesFigures, seriesKey } from './series-figures.ts';

/** What the file says it is. Another version is not read: a curve half understood is worse than none. */
const FORMAT = 'pitot operating curves';
const VERSION = 1;

export function stateOf({ bins, ...identity }: KnownCurve): object {
  return { ...identity, bins: bins.map(stateOfBin) };
}

function stateOfBin(bin: CurveBin): object {
  return {
    concurrency: bin.concurrency,
    windows: bin.windows,
    faded_to: new Date(bin.fadedToMs).toISOString(),
    throughput: bin.throughput.state,
    series: bin.series.map(({ model, workload, firstTokens, sums, bins }) => ({
      model,
      workload,
      first_tokens: firstTokens,
      sums,
      bins: Object.fromEntries(FIGURES.map((figure) => [figure, bins[figure].state])),
    })),
  };
}

/** The text of the file in pieces, so that a long one need not be made in one turn of the event loop. */
export function* stateText(curves: readonly KnownCurve[], epochMs: number): Generator<string> {
  yield `{"format":"${FORMAT}","version":${VERSION},"saved_at":"${new Date(epochMs).toISOString()}","curves":[`;
  for (const [index, curve] of curves.entries()) yield `${index === 0 ? '' : ','}\n${JSON.stringify(stateOf(curve))}`;
  yield '\n]}\n';
}

/** Reads what `stateText` wrote. Throws an Error with one sentence for anything else. */
export function readState(text: string): KnownCurve[] {
  const file = object(parsed(text), 'an object');
  if (file['format'] !== FORMAT) throw new Error(`expected a file of ${FORMAT}, got another one`);
  if (file['version'] !== VERSION)
    throw new Error(`expected version ${VERSION}, got ${JSON.stringify(file['version'])}`);
  return list(file['curves'], 'curves').map(curveOf);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('expected JSON, got something else or only a part of it');
  }
}

function curveOf(value: unknown): KnownCurve {
  const { upstream, conditions, gpus, bins } = object(value, 'a curve');
  const labels = Object.entries(object(conditions, 'conditions')).map(([name, label]) => [name, string(label, name)]);
  return {
    upstream: string(upstream, 'upstream'),
    conditions: Object.fromEntries(labels),
    gpus: gpus === null ? null : number(gpus, 'gpus'),
    bins: list(bins, 'bins').map(binOf),
  };
}

function binOf(value: unknown): CurveBin {
  const { concurrency, windows, faded_to: fadedTo, throughput, series } = object(value, 'a bin');
  const middle = number(concurrency, 'concurrency');
  if (!isBin(middle)) throw new Error(`expected the concurrency of a bin, got ${middle}`);
  const fadedToMs = number(Date.parse(string(fadedTo, 'faded_to')), 'faded_to');
  const bin = new CurveBin(middle, fadedToMs, LogBins.of(LOWEST_THROUGHPUT, binsOf(throughput, 'throughput')));
  bin.windows = number(windows, 'windows');
  for (const one of list(series, 'series').map(figuresOf)) bin.seriesByName.set(seriesKey(one), one);
  return bin;
}

function figuresOf(value: unknown): SeriesFigures {
  const { model, workload, first_tokens: firstTokens, sums, bins } = object(value, 'a series');
  const states = object(bins, 'bins');
  const read = FIGURES.map((figure) => [figure, LogBins.of(LOWEST[figure], binsOf(states[figure], figure))] as const);
  const labels = { model: string(model, 'model'), workload: string(workload, 'workload') };
  const figures = new SeriesFigures(labels, Object.fromEntries(read));
  const { input, cachedInput, output } = object(sums, 'sums');
  figures.firstTokens = number(firstTokens, 'first_tokens');
  figures.sums.input = number(input, 'input');
  figures.sums.cachedInput = number(cachedInput, 'cachedInput');
  figures.sums.output = number(output, 'output');
  return figures;
}

function binsOf(value: unknown, name: string): BinsState {
  const { first, weights, zeros = 0 } = object(value, name);
  return {
    first: number(first, name),
    weights: list(weights, name).map((weight) => number(weight, name)),
    zeros: number(zeros, name),
  };
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unlike(name);
  // Null excluded, any object can be asked for its keys.
  return value as Record<string, unknown>;
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw unlike(name);
  return value;
}

function string(value: unknown, name: string): string {
  if (typeof value !== 'string') throw unlike(name);
  return value;
}

function number(value: unknown, name: string): number {
  if (typeof value !== 'number' || !(value >= 0 && value < Number.POSITIVE_INFINITY)) throw unlike(name);
  return value;
}

const unlike = (name: string) => new Error(`expected curves as Pitot writes them, got another ${name}`);
