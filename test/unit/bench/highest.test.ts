import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highestThatHolds } from '../../../scripts/bench/highest.ts';

test('the search ends below the true bound, by 4 % at most, wherever it begins', async () => {
  const load = fc.integer({ min: 11, max: 5_000 });
  await fc.assert(
    fc.asyncProperty(load, load, fc.constantFrom(1.06, 1.25), async (bound, from, step) => {
      let trials = 0;
      const found = await highestThatHolds(
        (tried) => {
          trials += 1;
          return Promise.resolve(tried <= bound);
        },
        { from, step },
      );
      expect(found).not.toBeNull();
      expect(found).toBeLessThanOrEqual(bound);
      expect(found).toBeGreaterThanOrEqual(Math.min(bound / 1.04, bound - 1) - 1e-9);
      expect(trials).toBeLessThan(300);
    }),
  );
});

test('a load that stumbles once is not given up', async () => {
  const stumbled = new Set<number>();
  const holds = (load: number) => {
    if (load > 400) return Promise.resolve(false);
    const isSecond = stumbled.has(load);
    stumbled.add(load);
    return Promise.resolve(isSecond);
  };
  expect(await highestThatHolds(holds, { from: 300 })).toBeGreaterThan(384);
});

test('where nothing holds, nothing is found', async () => {
  expect(await highestThatHolds(() => Promise.resolve(false), { from: 300 })).toBeNull();
});
