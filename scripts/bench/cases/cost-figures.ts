import type { GoalName } from '../goals.ts';
import type { Round } from '../rounds.ts';
import { differences, ratios, spreadOf } from '../statistics.ts';
import type { Figure } from './case.ts';
import { perRound } from './per-round.ts';

/** The goals that a case is judged by, each by what is measured for it. */
export interface CostGoals {
  readonly ofNginx?: GoalName;
  /** Of each other Node that Pitot ran on. */
  readonly newerNodeOfNginx?: GoalName;
  readonly fullOfOff?: GoalName;
  readonly addedP50?: GoalName;
  readonly addedP99?: GoalName;
}

export function costFigures(rounds: readonly Round[], { goals, where }: { goals: CostGoals; where: string }): Figure[] {
  const cpuRatio = (name: string, base: string) =>
    ratios(perRound(rounds, name, 'cpuUs'), perRound(rounds, base, 'cpuUs'));
  const added = (measure: 'p50Ms' | 'p99Ms') =>
    differences(perRound(rounds, 'pitot', measure), perRound(rounds, 'direct', measure));
  const figure = (goal: GoalName | undefined, values: number[], condition = where): Figure[] =>
    goal === undefined ? [] : [{ goal, where: condition, ...spreadOf(values) }];
  const newer = [...new Set(rounds.map(({ contestant }) => contestant))].filter((name) =>
    name.startsWith('pitot-node'),
  );
  return [
    ...figure(goals.ofNginx, cpuRatio('pitot', 'nginx')),
    ...newer.flatMap((name) =>
      figure(goals.newerNodeOfNginx, cpuRatio(name, 'nginx'), `${where}, Node ${name.slice('pitot-node'.length)}`),
    ),
    ...figure(goals.fullOfOff, cpuRatio('pitot', 'pitot-off')),
    ...figure(goals.addedP50, added('p50Ms')),
    ...figure(goals.addedP99, added('p99Ms')),
  ];
}
