import { field } from '../contestants/field.ts';
import type { Plan } from '../plan.ts';
import { runRounds } from '../rounds.ts';
import { Traffic } from '../traffic.ts';
import type { BenchCase } from './case.ts';
import { type CostGoals, costFigures } from './cost-figures.ts';
import { costNotes } from './cost-notes.ts';
import { costTable } from './cost-table.ts';
import { entries, startAll, stopAll } from './entrants.ts';

export interface CostSpec {
  readonly name: string;
  readonly title: string;
  readonly plan: Plan;
  /** What is relayed: an event, a call. */
  readonly unit: string;
  /** Contestants that cannot take part. */
  readonly without?: readonly string[];
  /** The conditions, for goals that are judged under several. */
  readonly where: string;
  readonly goals: CostGoals;
}

/** What an event, or a call, costs in CPU time and in latency, at a rate that nobody is pressed by. */
export function relayCost(spec: CostSpec): BenchCase {
  return {
    name: spec.name,
    title: spec.title,
    run: async (site) => {
      const { running, notes: missing } = await startAll(site, field(site, spec.without));
      const { rounds, notes: out } = await runRounds(site, new Traffic(site), { running, plan: spec.plan });
      await stopAll(site, running);
      return {
        contestants: entries(running),
        table: costTable(rounds, { names: running.map(({ name }) => name), unit: spec.unit }),
        figures: costFigures(rounds, spec),
        notes: [...missing, ...out, ...costNotes(rounds, spec.unit)],
        measurements: rounds,
      };
    },
  };
}
