import { defineConfig } from 'vitest/config';

interface Suite {
  readonly name: string;
  readonly timeoutMs: number;
  /** Suites of one group run side by side, the groups one after the other: what measures must not share the machine. */
  readonly group: number;
}

const SUITES: readonly Suite[] = [
  { name: 'unit', timeoutMs: 10_000, group: 0 },
  { name: 'contract', timeoutMs: 30_000, group: 0 },
  { name: 'integration', timeoutMs: 30_000, group: 1 },
  { name: 'fuzz', timeoutMs: 30_000, group: 1 },
  { name: 'e2e', timeoutMs: 180_000, group: 2 },
];

export default defineConfig({
  test: {
    projects: SUITES.map(({ name, timeoutMs, group }) => ({
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        testTimeout: timeoutMs,
        hookTimeout: timeoutMs,
        fileParallelism: name !== 'e2e',
        sequence: { groupOrder: group },
      },
    })),
  },
});
