import type { Round } from '../rounds.ts';
import { differences, median, medianOf, ratios, spreadOf } from '../statistics.ts';
import type { Table } from './case.ts';
import { perRound } from './per-round.ts';

/** One row per contestant: medians over the rounds; ratios and differences within each round. */
export function costTable(
  rounds: readonly Round[],
  { names, unit }: { names: readonly string[]; unit: string },
): Table {
  const columns = [
    { title: `CPU/${unit}`, unit: 'µs', digits: 1 },
    { title: 'of nginx', unit: '×', digits: 2 },
    { title: 'lowest', unit: '×', digits: 2 },
    { title: 'highest', unit: '×', digits: 2 },
    { title: 'p50', unit: 'ms', digits: 2 },
    { title: 'p99', unit: 'ms', digits: 2 },
    { title: 'added p50', unit: 'ms', digits: 2 },
    { title: 'added p99', unit: 'ms', digits: 2 },
    { title: 'arrived', unit: '%', digits: 1 },
  ];
  const rows = names.map((name) => {
    const of = (measure: Parameters<typeof perRound>[2]) => perRound(rounds, name, measure);
    const over = (measure: 'p50Ms' | 'p99Ms') =>
      name === 'direct' ? null : median(differences(of(measure), perRound(rounds, 'direct', measure)));
    const ratio = spreadOf(ratios(of('cpuUs'), perRound(rounds, 'nginx', 'cpuUs')));
    const arrived = medianOf(of('arrived'));
    const cpu = [medianOf(of('cpuUs')), ratio.value, ratio.range?.[0] ?? null, ratio.range?.[1] ?? null];
    const latency = [medianOf(of('p50Ms')), medianOf(of('p99Ms')), over('p50Ms'), over('p99Ms')];
    return { name, values: [...cpu, ...latency, arrived === null ? null : arrived * 100] };
  });
  return { columns, rows };
}
