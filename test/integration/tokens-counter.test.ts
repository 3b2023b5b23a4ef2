import { afterEach, describe, expect, it } from 'vitest';
import { createTokenCounter, type TokenCounter, type TokenCounterOptions } from '../../src/tokens/counter.ts';
import type { CountRequest } from '../../src/tokens/protocol.ts';
import { startWorker } from '../../src/tokens/start-worker.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { referenceCounter } from '../helpers/reference-tokens.ts';
import { failingThread, greedyThread, silentThread, stuckThread } from '../helpers/scripted-threads.ts';

const open: TokenCounter[] = [];

/** A counter on real threads, closed after the test. The budget is ample unless a test is about it. */
function counterWith(options: Partial<TokenCounterOptions> = {}): TokenCounter {
  const counter = createTokenCounter({ budgetMs: 60_000, clock: new ManualClock(), ...options });
  open.push(counter);
  return counter;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((counter) => counter.close()));
});

const asking = (text: string, model = 'gpt-4o'): CountRequest => ({
  model,
  output: [{ choice: 0, channel: 'content', text }],
  input: null,
});

describe('counting', () => {
  it('is done by a worker thread, in the encoding of the model', async () => {
    const counter = counterWith();
    const text = '的一是不了人我在有他这为之大来以个中上们';
    const [first, second] = await Promise.all([counter.count(asking(text)), counter.count(asking(text, 'gpt-4'))]);
    expect(first?.outputTokens).toBe(referenceCounter('o200k_base')(text));
    expect(second?.outputTokens).toBe(referenceCounter('cl100k_base')(text));
    expect(first?.outputTokens).not.toBe(second?.outputTokens);
    expect(counter.tally).toEqual({ counted: 2, dropped: 0, overBudget: 0, failed: 0 });
  });

  it('starts no thread before the first request', () => {
    let starts = 0;
    counterWith({
      start: () => {
        starts += 1;
        return silentThread();
      },
    });
    expect(starts).toBe(0);
  });

  it('comes to an end for text that is quadratic elsewhere', async () => {
    const counter = counterWith();
    const texts = [
      '的一是不了人我在有他'.repeat(5_000),
      'a'.repeat(200_000),
      ' '.repeat(20_000),
      '^'.repeat(1_000_000),
      '\ud83d'.repeat(50_000),
      '<|endoftext|>'.repeat(10_000),
    ];
    const results = await Promise.all(texts.map((text) => counter.count(asking(text))));
    expect(results.filter((result) => (result?.outputTokens ?? 0) > 0)).toHaveLength(texts.length);
  });
});

describe('bounds', () => {
  it('a budget that ends is no count', async () => {
    const counter = counterWith({ budgetMs: 0 });
    expect(await counter.count(asking('text'))).toBeNull();
    expect(counter.tally.overBudget).toBe(1);
  });

  it('a full queue refuses at once', async () => {
    const counter = counterWith({ start: silentThread, maxQueued: 2 });
    const waiting = [1, 2, 3].map(() => counter.count(asking('text')));
    expect(await counter.count(asking('text'))).toBeNull();
    expect(counter.tally.dropped).toBe(1);
    await counter.close();
    expect(await Promise.all(waiting)).toEqual([null, null, null]);
  });

  it('a queue is full by memory, too', async () => {
    const counter = counterWith({ start: silentThread, maxQueuedBytes: 2_000 });
    void counter.count(asking('x'.repeat(900)));
    void counter.count(asking('x'.repeat(900)));
    expect(await counter.count(asking('x'.repeat(900)))).toBeNull();
    expect(counter.tally.dropped).toBe(1);
  });

  it('text beyond any budget is refused, a prompt beyond it left out', async () => {
    const counter = counterWith();
    const huge = 'x'.repeat(3_000_000);
    expect(await counter.count(asking(huge))).toBeNull();
    const input = { messages: [], prompts: [huge], tools: [], extras: [], tokens: 0, isPartial: false };
    expect(await counter.count({ ...asking('text'), input })).toMatchObject({ outputTokens: 1, inputTokens: null });
  });

  it('a request that waited ten budgets behind others is left, unless an encoding was loading', async () => {
    const clock = new ManualClock();
    const counter = counterWith({ clock, budgetMs: 60_000 });
    const duringLoad = [counter.count(asking('one')), counter.count(asking('one'))];
    clock.advance(600_001);
    expect((await Promise.all(duringLoad)).map((result) => result?.outputTokens)).toEqual([1, 1]);
    const later = [counter.count(asking('one')), counter.count(asking('one'))];
    clock.advance(600_001);
    expect((await Promise.all(later)).map((result) => result?.outputTokens)).toEqual([1, undefined]);
    expect(counter.tally).toMatchObject({ counted: 3, dropped: 1 });
  });
});

describe('faults', () => {
  it.each([
    ['throws', failingThread, 60_000],
    ['is stuck', stuckThread, 5],
    ['wants too much memory', greedyThread, 60_000],
  ])('a thread that %s loses its request only, and another one goes on', async (_how, faulty, budgetMs) => {
    const threads = [faulty, startWorker];
    const causes: (Error | null)[] = [];
    const counter = counterWith({
      budgetMs,
      start: () => (threads.shift() ?? startWorker)(),
      onFault: (cause) => causes.push(cause),
    });
    const results = await Promise.all([counter.count(asking('one')), counter.count(asking('two'))]);
    expect(results.map((result) => result?.outputTokens)).toEqual([undefined, 1]);
    expect(counter.tally).toMatchObject({ counted: 1, failed: 1 });
    expect(causes).toEqual([expect.any(Error)]);
  });

  it('threads that fail again and again are not started for ever', async () => {
    const clock = new ManualClock();
    let starts = 0;
    const start = () => {
      starts += 1;
      return failingThread();
    };
    const counter = counterWith({ clock, start });
    for (let request = 0; request < 8; request += 1) expect(await counter.count(asking('text'))).toBeNull();
    expect(starts).toBe(5);
    clock.advance(60_000);
    expect(await counter.count(asking('text'))).toBeNull();
    expect(starts).toBe(6);
    expect(counter.tally.failed).toBe(9);
  });

  it('a thread that cannot be started fails its request, and throws at nobody', async () => {
    const start = () => {
      throw new Error('as scripted');
    };
    expect(await counterWith({ start }).count(asking('text'))).toBeNull();
  });
});

describe('closing', () => {
  it('answers what waits, and everything after, with null', async () => {
    const counter = counterWith({ start: silentThread });
    const waiting = [counter.count(asking('text')), counter.count(asking('text'))];
    await counter.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await counter.count(asking('text'))).toBeNull();
    expect(counter.tally).toEqual({ counted: 0, dropped: 2, overBudget: 0, failed: 0 });
  });

  it('ends the thread, twice as well as once', async () => {
    const threads: ReturnType<typeof startWorker>[] = [];
    const counter = counterWith({
      start: () => {
        const thread = silentThread();
        threads.push(thread);
        return thread;
      },
    });
    void counter.count(asking('text'));
    await counter.close();
    await counter.close();
    expect(threads.map((thread) => thread.threadId)).toEqual([-1]);
  });
});
