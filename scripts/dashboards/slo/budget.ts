import { SLOS } from '../../../src/metrics/catalog/slos.ts';
import { configured, increase, over, rate, selected, sum, type Window } from '../promql.ts';

/** Objectives are of a workload, so everything about them is by workload and SLO. */
export const BY = ['workload', 'slo'] as const;

const BAD = { where: ['verdict="bad"'] } as const;
/** Without `all`, which is a conjunction and has no objective of its own. */
const TARGETED = ['slo!="all"'] as const;

/** What may be bad: 1 − objective. */
const ALLOWED = `1 - ${configured(SLOS.sloObjective)}`;

/** How many times faster than allowed the budget goes. */
export function burnRate(window: Window): string {
  const bad = sum(rate(SLOS.sloRequests, { where: [...TARGETED, ...BAD.where], window }), BY);
  const judged = sum(rate(SLOS.sloRequests, { where: TARGETED, window }), BY);
  return over(over(bad, judged, BY), ALLOWED, BY);
}

/** Of the budget that the requests of the window have: 1 untouched, 0 used up. */
export function budgetLeft(window: string): string {
  const over30Days = (where: readonly string[]) =>
    sum(`increase(${selected(SLOS.sloRequests, { where })}[${window}])`, BY);
  const bad = over30Days([...TARGETED, ...BAD.where]);
  return `1 - ${over(over(bad, over30Days(TARGETED), BY), ALLOWED, BY)}`;
}

/** Good ÷ judged over the range shown. */
export const GOOD_OVER_RANGE = over(
  sum(increase(SLOS.sloRequests, { where: [...TARGETED, 'verdict="good"'] }), BY),
  sum(increase(SLOS.sloRequests, { where: TARGETED }), BY),
  BY,
);

/** Good ÷ judged at each moment. */
export const GOOD = over(
  sum(rate(SLOS.sloRequests, { where: [...TARGETED, 'verdict="good"'] }), BY),
  sum(rate(SLOS.sloRequests, { where: TARGETED }), BY),
  BY,
);
