/** No inference server holds more generations at once. */
const MOST = 65_536;

/** 1, 2, 3, 4, 6, 8, 12, 16, 24, …: steps of a third or a half, as finely as a load test would go. */
const MIDDLES: readonly number[] = middles();

function middles(): number[] {
  const found = [1];
  for (let power = 2; power <= MOST; power *= 2) found.push(power, power * 1.5);
  return found;
}

/**
 * The bin of a mean concurrency, by its middle: edges lie half-way, by ratio, between two middles, so that
 * a closed loop of 4 clients, which is 3.98 on average, is in the bin of 4. Null below 0.7: such a window
 * was idle for a good part, and says nothing of what the engine can do.
 */
export function binOf(concurrency: number): number | null {
  if (!(concurrency >= Math.SQRT1_2)) return null;
  for (const [index, middle] of MIDDLES.entries()) {
    const next = MIDDLES[index + 1];
    if (next === undefined || concurrency < Math.sqrt(middle * next)) return middle;
  }
  return null;
}

/** Whether there is such a bin. */
export function isBin(concurrency: number): boolean {
  return MIDDLES.includes(concurrency);
}
