import fc from 'fast-check';
import { test } from 'vitest';

/** Set by `npm run fuzz`: how long each law is tried; 0 for the short run of `npm test`. */
const seconds = Number(process.env['PITOT_FUZZ_SECONDS'] ?? 0);
/** `npm test` must say the same of the same code; what is new is looked for by `npm run fuzz`. */
const chance = seconds > 0 ? Math.random() * 2 ** 31 : 1;
const firstSeed = Number(process.env['PITOT_FUZZ_SEED'] ?? chance) | 0;
/** What a law may take beyond its time: to make its counterexample small, and to say it. */
const LAST_WORDS_MS = 120_000;

process.stdout.write(`fuzzing from seed ${firstSeed} on\n`);

/**
 * Tries one law `runs` times, and in a long run again and again from further seeds, until its time is over.
 * A failure says its seed: PITOT_FUZZ_SEED does it again.
 */
export function law<T>(what: string, runs: number, property: fc.IProperty<T> | fc.IAsyncProperty<T>): void {
  const limitMs = seconds * 1_000;
  test(what, { timeout: limitMs + LAST_WORDS_MS }, async () => {
    const untilMs = performance.now() + limitMs;
    let seed = firstSeed;
    let tried = 0;
    do {
      // Of either kind; an awaited result is the same for both.
      const found = await fc.check(property as fc.IAsyncProperty<T>, { seed, numRuns: runs });
      if (found.failed) {
        const report = `${fc.defaultReportMessage(found)}\nPITOT_FUZZ_SEED=${seed} does it again`;
        throw new Error(report, { cause: found.errorInstance });
      }
      tried += found.numRuns;
      seed += 1;
    } while (performance.now() < untilMs);
    if (limitMs > 0) process.stdout.write(`${tried} times: ${what}\n`);
  });
}
