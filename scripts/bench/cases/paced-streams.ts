import type { Contestant } from '../contestants/contestant.ts';
import type { Plan } from '../load.ts';
import { type Round, runRounds } from '../rounds.ts';
import { differences, median, medianOf, ratios } from '../statistics.ts';
import { Traffic } from '../traffic.ts';
import type { BenchCase, Figure, Table } from './case.ts';
import { startAll, stopAll } from './entrants.ts';

/** Below this share of the events that were due, the contestant or the machine was overloaded. */
const ENOUGH_ARRIVED = 0.98;
/** Of the machine, by processes that are not of the bench: more than this shows in the figures. */
const QUIET_SHARE = 0.05;

interface Spec {
  readonly name: string;
  readonly title: string;
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  readonly goals: { readonly cpuOfNginx: number; readonly cpuFullOfOff: number; readonly addedP50Ms: number };
}

/** What an event costs in CPU time and in latency, at a rate that nobody is pressed by. */
export function pacedStreams(spec: Spec): BenchCase {
  return {
    name: spec.name,
    title: spec.title,
    run: async (site) => {
      const { running, notes } = await startAll(site, spec.contestants);
      const rounds = await runRounds(site, new Traffic(site), { running, plan: spec.plan });
      await stopAll(site, running);
      const names = running.map(({ name }) => name);
      return {
        table: tableOf(rounds, names),
        figures: figuresOf(rounds, spec),
        notes: [...notes, ...noiseOf(rounds), ...faultsOf(rounds)],
        rounds,
      };
    },
  };
}

type Measure = 'cpuUs' | 'p50Ms' | 'p99Ms' | 'arrived';

/** One value per round, in the order of the rounds. */
function perRound(rounds: readonly Round[], contestant: string, measure: Measure): (number | null)[] {
  const own = rounds.filter((round) => round.contestant === contestant).sort((a, b) => a.round - b.round);
  return own.map((round) => round[measure]);
}

function tableOf(rounds: readonly Round[], names: readonly string[]): Table {
  const columns = [
    { title: 'CPU/event', unit: 'µs', digits: 1 },
    { title: 'of nginx', unit: '×', digits: 2 },
    { title: 'p50', unit: 'ms', digits: 3 },
    { title: 'p99', unit: 'ms', digits: 3 },
    { title: 'added p50', unit: 'ms', digits: 3 },
    { title: 'added p99', unit: 'ms', digits: 3 },
    { title: 'arrived', unit: '%', digits: 2 },
  ];
  const rows = names.map((name) => {
    const of = (measure: Measure) => perRound(rounds, name, measure);
    const over = (measure: Measure) =>
      name === 'direct' ? null : median(differences(of(measure), perRound(rounds, 'direct', measure)));
    const arrived = medianOf(of('arrived'));
    const values = [
      medianOf(of('cpuUs')),
      median(ratios(of('cpuUs'), perRound(rounds, 'nginx', 'cpuUs'))),
      medianOf(of('p50Ms')),
      medianOf(of('p99Ms')),
      over('p50Ms'),
      over('p99Ms'),
      arrived === null ? null : arrived * 100,
    ];
    return { name, values };
  });
  return { columns, rows };
}

function figuresOf(rounds: readonly Round[], { goals }: Spec): Figure[] {
  const cpu = (name: string) => perRound(rounds, name, 'cpuUs');
  const p50 = (name: string) => perRound(rounds, name, 'p50Ms');
  const ratio = { unit: '×', digits: 2 };
  return [
    {
      name: 'CPU per event, Pitot to nginx',
      ...overRounds(ratios(cpu('pitot'), cpu('nginx'))),
      ...ratio,
      goal: goals.cpuOfNginx,
    },
    {
      name: 'CPU per event, metering full to off',
      ...overRounds(ratios(cpu('pitot'), cpu('pitot-off'))),
      ...ratio,
      goal: goals.cpuFullOfOff,
    },
    {
      name: 'latency per event added to direct, p50',
      ...overRounds(differences(p50('pitot'), p50('direct'))),
      unit: 'ms',
      digits: 3,
      goal: goals.addedP50Ms,
    },
  ];
}

function overRounds(values: readonly number[]): Pick<Figure, 'value' | 'range'> {
  const range = values.length === 0 ? null : ([Math.min(...values), Math.max(...values)] as const);
  return { value: median(values), range };
}

function faultsOf(rounds: readonly Round[]): string[] {
  return rounds.flatMap(({ contestant, round, faults, arrived }) => [
    ...(faults[0] === undefined
      ? []
      : [`${contestant}, round ${round + 1}: ${faults.length} faults, the first: ${faults[0]}.`]),
    ...(arrived < ENOUGH_ARRIVED
      ? [`${contestant}, round ${round + 1}: only ${(arrived * 100).toFixed(1)} % of the events arrived.`]
      : []),
  ]);
}

function noiseOf(rounds: readonly Round[]): string[] {
  const share = medianOf(rounds.map(({ othersShare }) => othersShare)) ?? 0;
  const percent = (share * 100).toFixed(0);
  return share > QUIET_SHARE
    ? [`Others kept ${percent} % of the machine busy meanwhile: latencies above all are theirs too.`]
    : [];
}
