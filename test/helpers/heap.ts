import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is in use of the heap after a garbage collection. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** What stays in memory of texts of a megabyte, each given to `keep`, which remembers something of it. */
export function keptOfLongTexts(count: number, keep: (text: string) => unknown): number {
  const before = heapBytes();
  // Parsed, as texts from outside are: made of one piece.
  const kept = Array.from({ length: count }, (_, index) => keep(JSON.parse(`"${`${index}-`.padEnd(1_000_000, 'x')}"`)));
  const grown = heapBytes() - before;
  if (kept.length !== count) throw new Error('kept until here');
  return grown;
}
