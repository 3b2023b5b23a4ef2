import type { Round } from '../rounds.ts';

type Measure = 'cpuUs' | 'p50Ms' | 'p99Ms' | 'arrived';

/** One value per round, in the order of the rounds; null where the contestant was out. */
export function perRound(rounds: readonly Round[], contestant: string, measure: Measure): (number | null)[] {
  const last = Math.max(-1, ...rounds.map(({ round }) => round));
  return Array.from({ length: last + 1 }, (_, index) => {
    const own = rounds.find((round) => round.contestant === contestant && round.round === index);
    return own?.[measure] ?? null;
  });
}
