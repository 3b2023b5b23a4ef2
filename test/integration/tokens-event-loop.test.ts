import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createTokenCounter } from '../../src/tokens/counter.ts';

/** What stops a tokenizer that runs on the relaying thread, some of it for minutes. */
const TEXTS: readonly string[] = [
  '的一是不了人我在有他'.repeat(5_000),
  'a'.repeat(200_000),
  '\ud83d'.repeat(50_000),
  '<|endoftext|>'.repeat(10_000),
  ' '.repeat(20_000),
];

/** Turns of the event loop until `stopped`, by the milliseconds that each took. */
async function turnsUntil(stopped: () => boolean): Promise<number[]> {
  const turns: number[] = [];
  for (let lastMs = performance.now(); !stopped(); ) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const nowMs = performance.now();
    turns.push(nowMs - lastMs);
    lastMs = nowMs;
  }
  return turns.sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;

it('the event loop turns while a worker counts what would block it', async ({ annotate }) => {
  const counter = createTokenCounter({ budgetMs: 60_000, answerWithinMs: 60_000, clock: systemClock });
  // A first count loads the encoding.
  await counter.count({ model: 'gpt-4o', output: [{ choice: 0, channel: 'content', text: 'a' }], input: null });
  let isDone = false;
  const counting = Promise.all(
    [...TEXTS, ...TEXTS, ...TEXTS].map((text) =>
      counter.count({ model: 'gpt-4o', output: [{ choice: 0, channel: 'content', text }], input: null }),
    ),
  ).finally(() => {
    isDone = true;
  });
  const turns = await turnsUntil(() => isDone);
  expect((await counting).every((result) => result !== null)).toBe(true);
  await counter.close();

  const [median, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(turns, share).toFixed(1));
  await annotate(
    `1 ms timer while counting: ${turns.length} turns, median ${median} ms, p99 ${p99} ms, max ${longest} ms`,
  );
  // Generous: the machine may be busy. On the relaying thread one of these texts alone takes seconds.
  expect(turns.length).toBeGreaterThan(10);
  expect(quantile(turns, 0.99)).toBeLessThan(250);
});
