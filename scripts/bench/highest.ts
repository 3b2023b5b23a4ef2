/** Steps while nothing is known; then halves, until the bounds are this near. */
const COARSE = 1.25;
const NEAR = 1.04;
const LEAST = 10;

/**
 * The highest load that holds, found by few trials: up or down from `from` in steps of a quarter, or of `step`,
 * then between the highest that held and the lowest that did not. A load is taken to fail only when it failed
 * twice, for a shared machine stumbles. Null where not even the least load holds.
 */
export async function highestThatHolds(
  holds: (load: number) => Promise<boolean>,
  { from, step = COARSE }: { from: number; step?: number },
): Promise<number | null> {
  const holdsAtLast = async (load: number) => (await holds(load)) || (await holds(load));
  let held: number | null = null;
  let failed: number | null = null;
  for (let load = from; held === null || failed === null; ) {
    if (await holdsAtLast(load)) held = load;
    else failed = load;
    if (held === null && load <= LEAST) return null;
    load = Math.max(LEAST, Math.round(failed === null ? load * step : load / step));
  }
  while (failed / held > NEAR && failed - held > 1) {
    const middle = Math.round(Math.sqrt(held * failed));
    if (await holdsAtLast(middle)) held = middle;
    else failed = middle;
  }
  return held;
}
