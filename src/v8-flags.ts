import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * How a relay's memory is collected. To be called before the program is loaded, and again when a thread has begun.
 *
 * What a relay leaves behind dies young, in collections of a few hundred microseconds. Sharing such a
 * small job among threads costs more CPU than it saves: a tenth of all that a relayed event costs.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-parallel-scavenge');
  // By default the young generation would grow to 32 MB while the program is loaded.
  setFlagsFromString('--semi-space-growth-factor=1');
  // After a rest V8 lets the heap grow by a tenth only before it collects all of it, and large request bodies, which
  // lie outside of the heap, count towards that: each then cost a whole collection, five times as much as relaying it.
  setFlagsFromString('--heap-growing-percent=200');
}

/** By its spaces, of which one is unused at any time. */
const YOUNG_BYTES = 8 * 1_024 * 1_024;
const LOOK_EVERY_MS = 10_000;
/** An array of so many elements has 16 kB. */
const PIECE = 2_000;
const MOST_PIECES = 1_000;

/**
 * Keeps the young generation at twice 4 MB. To be called when a relay begins: by then the program is loaded, which
 * leaves it at twice 1 MB. What dies young would do with that, but most of what a collection takes is the same
 * whatever there is to collect: a short call would cost a tenth more. After a rest V8 makes it small again, hence the looks.
 */
export function keepYoungGeneration(): void {
  if (!growYoungGeneration()) return;
  const looking = setInterval(() => {
    if (youngBytes() < YOUNG_BYTES && !growYoungGeneration()) clearInterval(looking);
  }, LOOK_EVERY_MS);
  looking.unref();
}

/** V8 lets it grow in a collection before which more than it holds has survived. False where it may not grow so far. */
function growYoungGeneration(): boolean {
  const survivors: unknown[] = [];
  for (let bytes = youngBytes(); bytes < YOUNG_BYTES && survivors.length < MOST_PIECES; bytes = youngBytes()) {
    // In one step where that is sure to end there: the fewer survivors are needed, and stay behind as garbage.
    setFlagsFromString(`--semi-space-growth-factor=${bytes * 4 === YOUNG_BYTES ? 4 : 2}`);
    survivors.push(new Array(PIECE).fill(0));
  }
  setFlagsFromString('--semi-space-growth-factor=1');
  return youngBytes() >= YOUNG_BYTES;
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
