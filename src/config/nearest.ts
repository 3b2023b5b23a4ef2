/** The nearest known word to one that is not known: for "did you mean". */

/**
 * The candidate with the smallest edit distance, case and `-`/`_` apart; null when none is near:
 * a third of the word may differ, so that `listn` finds `listen` and `colour` does not find `color_depth`.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = normal(word);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = normal(candidate);
    const distance = isBeginning(wanted, known) ? 1 : editDistance(wanted, known, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `warning` for `warn`, `conn` for `connect`. */
const isBeginning = (a: string, b: string) =>
  a !== b && Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));

/** `maxConnections` and `max-connections` are `max_connections` to whoever types them. */
const normal = (word: string) => word.toLowerCase().replace(/[-_\s]/g, '');

/**
 * Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
 * Gives up with `limit` once the distance cannot be smaller: words from outside may be long.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let distance = Math.min(at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, at(before, column - 2) + 1);
      }
      current.push(distance);
    }
    before = above;
    above = current;
  }
  return at(above, b.length);
}

const at = (cells: readonly number[], index: number) => cells[index] ?? Number.POSITIVE_INFINITY;
