import type { Round } from '../rounds.ts';
import { medianOf } from '../statistics.ts';

/** Below this share of the events that were due, the contestant or the machine was overloaded. */
const ENOUGH_ARRIVED = 0.98;
/** Of the machine, by processes that are not of the bench: more than this shows in the figures. */
const QUIET_SHARE = 0.05;

/** What makes the figures of a case doubtful. */
export function costNotes(rounds: readonly Round[], unit: string): string[] {
  return [...noiseOf(rounds), ...rounds.flatMap((round) => doubtsOf(round, unit))];
}

function doubtsOf({ contestant, round, faults, arrived }: Round, unit: string): string[] {
  const where = `${contestant}, round ${round + 1}`;
  const few = `${where}: only ${(arrived * 100).toFixed(1)} % of the ${unit}s arrived.`;
  return [
    ...(faults[0] === undefined ? [] : [`${where}: ${faults.length} faults, the first: ${faults[0]}.`]),
    ...(arrived < ENOUGH_ARRIVED ? [few] : []),
  ];
}

function noiseOf(rounds: readonly Round[]): string[] {
  const share = medianOf(rounds.map(({ othersShare }) => othersShare)) ?? 0;
  const percent = (share * 100).toFixed(0);
  return share > QUIET_SHARE
    ? [`Others kept ${percent} % of the machine busy meanwhile: latencies above all are theirs too.`]
    : [];
}
