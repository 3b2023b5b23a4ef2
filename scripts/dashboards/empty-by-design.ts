import type { DashboardUid } from './panel.ts';

/**
 * Queries that give nothing for a good reason, in a running system with every feature configured.
 * Only these queries of a panel, by their order; its others show something.
 */
export interface EmptyByDesign {
  readonly dashboards: readonly DashboardUid[];
  readonly title: string;
  readonly queries: readonly number[];
  readonly reason: string;
}

const NO_MAXIMUM = 'the maximum under SLO is known after 30 windows and 200 first tokens in one bin of the curve';

export const EMPTY_BY_DESIGN: readonly EmptyByDesign[] = [
  {
    dashboards: ['pitot-operator', 'pitot-cost'],
    title: 'Throughput, and its maximum under SLO',
    queries: [1],
    reason: NO_MAXIMUM,
  },
  {
    dashboards: ['pitot-operator', 'pitot-cost'],
    title: 'Concurrency, and that of the maximum under SLO',
    queries: [1],
    reason: NO_MAXIMUM,
  },
  { dashboards: ['pitot-cost'], title: 'GPUs needed at this rate', queries: [0], reason: NO_MAXIMUM },
  {
    dashboards: ['pitot-operator'],
    title: 'Last word of each upstream',
    queries: [1],
    reason: 'no attempt to reach the upstream has failed',
  },
  {
    dashboards: ['pitot-slo'],
    title: 'Objectives and targets, as configured',
    queries: [2],
    reason: 'no workload has a target `speed`; `tpot` says the same',
  },
  { dashboards: ['pitot-slo'], title: 'Firing alerts', queries: [0], reason: 'no alert fires' },
];

/** Why a query may be empty, or null where it may not. */
export function reasonToBeEmpty(uid: DashboardUid, title: string, query: number): string | null {
  const found = EMPTY_BY_DESIGN.find(
    (one) => one.dashboards.includes(uid) && one.title === title && one.queries.includes(query),
  );
  return found?.reason ?? null;
}
