import { expect, test } from 'vitest';
import { costFigures } from '../../../scripts/bench/cases/cost-figures.ts';
import { costNotes } from '../../../scripts/bench/cases/cost-notes.ts';
import { costTable } from '../../../scripts/bench/cases/cost-table.ts';
import type { Round } from '../../../scripts/bench/rounds.ts';

function roundOf(contestant: string, round: number, values: Partial<Round> = {}): Round {
  const arrived = { events: 1_000, arrived: 1, faults: [], othersShare: 0 };
  return { contestant, round, ...arrived, cpuUs: null, p50Ms: null, p99Ms: null, maxMs: null, ...values };
}

/** Three rounds, in the order in which they may come; in the last one nginx is out. */
const ROUNDS = [
  roundOf('nginx', 0, { cpuUs: 10 }),
  roundOf('pitot', 0, { cpuUs: 20 }),
  roundOf('pitot-node24', 0, { cpuUs: 15 }),
  roundOf('pitot-node24', 1, { cpuUs: 160 }),
  roundOf('pitot', 1, { cpuUs: 220 }),
  roundOf('nginx', 1, { cpuUs: 100 }),
  roundOf('pitot', 2, { cpuUs: 1 }),
];

test('a ratio is of one round, and its spread of those in which both took part', () => {
  const [figure] = costFigures(ROUNDS, { goals: { ofNginx: 'event-cpu' }, where: 'here' });
  expect(figure).toMatchObject({ goal: 'event-cpu', where: 'here', range: [2, 2.2] });
  expect(figure?.value).toBeCloseTo(2.1);
});

test('each other Node has a figure of its own, which names it', () => {
  const figures = costFigures(ROUNDS, { goals: { newerNodeOfNginx: 'event-cpu-newer-node' }, where: 'here' });
  expect(figures).toMatchObject([{ where: 'here, Node 24', range: [1.5, 1.6] }]);
});

test('what is added is over direct, in the same round', () => {
  const rounds = [
    roundOf('direct', 0, { p50Ms: 1, p99Ms: 2 }),
    roundOf('pitot', 0, { p50Ms: 1.25, p99Ms: 5 }),
    roundOf('pitot', 1, { p50Ms: 9, p99Ms: 9 }),
  ];
  const goals = { addedP50: 'added-p50', addedP99: 'added-p99' } as const;
  expect(costFigures(rounds, { goals, where: '' }).map(({ value }) => value)).toEqual([0.25, 3]);
});

test('who was out has a row without figures', () => {
  const { columns, rows } = costTable(ROUNDS, { names: ['pitot', 'portkey'], unit: 'event' });
  expect(rows[1]).toEqual({ name: 'portkey', values: columns.map(() => null) });
});

test('faults, missing events and a busy machine are said', () => {
  const rounds = [
    roundOf('nginx', 0, { arrived: 0.5, othersShare: 0.2 }),
    roundOf('pitot', 1, { faults: ['a connection was closed'], othersShare: 0.3 }),
  ];
  expect(costNotes(rounds, 'call')).toEqual([
    'Others kept 25 % of the machine busy meanwhile: latencies above all are theirs too.',
    'nginx, round 1: only 50.0 % of the calls arrived.',
    'pitot, round 2: 1 faults, the first: a connection was closed.',
  ]);
});
