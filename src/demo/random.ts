/** Uniform in [0, 1). The same seed gives the same sequence, so that a simulation can be repeated. */
export type Random = () => number;

/** mulberry32 (public domain, Tommy Ettinger): 32 bits of state, ample for load shapes; not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * An integer in [least, most], log-uniform: short values are as frequent per octave as long ones,
 * which is how lengths of prompts and answers are spread in practice.
 */
export function logUniformInteger(random: Random, least: number, most: number): number {
  const drawn = Math.floor(least * ((most + 1) / least) ** random());
  return Math.min(most, Math.max(least, drawn));
}

export function pick<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}
