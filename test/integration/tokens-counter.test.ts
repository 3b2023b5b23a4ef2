import { afterEach, describe, expect, it } from 'vitest';
import { sharedMs } from '../../src/tokens/count-budget.ts';
import { createTokenCounter, type TokenCounter, type TokenCounterOptions } from '../../src/tokens/counter.ts';
import type { CountRequest, Question } from '../../src/tokens/protocol.ts';
import { startWorker } from '../../src/tokens/start-worker.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { referenceCounter } from '../helpers/reference-tokens.ts';
import {
  failingThread,
  greedyThread,
  heard,
  lateOnceThread,
  silentThread,
  stuckThread,
} from '../helpers/scripted-threads.ts';
import { until } from '../helpers/until.ts';

const open: TokenCounter[] = [];

/** A counter on real threads, closed after the test. The budget is ample unless a test is about it. */
function counterWith(options: Partial<TokenCounterOptions> = {}): TokenCounter {
  const ample = { budgetMs: 60_000, answerWithinMs: 60_000 };
  const counter = createTokenCounter({ ...ample, clock: new ManualClock(), ...options });
  open.push(counter);
  return counter;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((counter) => counter.close()));
});

const NOTHING = { counted: 0, extrapolated: 0, dropped: 0, late: 0, overBudget: 0, failed: 0 };

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
    expect(counter.tally).toEqual({ ...NOTHING, counted: 2 });
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

  it('a budget that ends early leaves a count that is extrapolated', async () => {
    const counter = counterWith({ budgetMs: 80 });
    // The first is slow: what it runs is not compiled yet.
    await counter.count(asking('的一是不了人我在有他'.repeat(5_000)));
    const text = '的一是不了人我在有他'.repeat(100_000);
    const result = await counter.count(asking(text));
    expect(result).toMatchObject({ isExtrapolated: true, outputExactness: 'rough' });
    const truth = 100_000 * referenceCounter('o200k_base')('的一是不了人我在有他');
    expect(Math.abs((result?.outputTokens ?? 0) - truth) / truth).toBeLessThan(0.05);
    expect(counter.tally.extrapolated).toBe(1);
  });

  it('another budget takes effect with the next request', async () => {
    const counter = counterWith({ budgetMs: 0 });
    expect(await counter.count(asking('text'))).toBeNull();
    counter.budgetMs = 60_000;
    expect(await counter.count(asking('text'))).toMatchObject({ outputTokens: 1 });
  });

  it('nobody waits longer than the answer is due, whatever the thread does', async () => {
    const counter = counterWith({ start: silentThread, answerWithinMs: 50 });
    const waiting = [counter.count(asking('text')), counter.count(asking('text'))];
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(counter.tally).toEqual({ ...NOTHING, late: 2 });
  });

  it('the room of those who left is free again', async () => {
    const counter = counterWith({ start: silentThread, answerWithinMs: 50, maxQueued: 1 });
    for (let round = 0; round < 3; round += 1) {
      expect(await Promise.all([counter.count(asking('text'))])).toEqual([null]);
    }
    expect(counter.tally.dropped).toBe(0);
  });

  it('an answer that comes too late is not taken for the next one', async () => {
    const counter = counterWith({ start: lateOnceThread, answerWithinMs: 100 });
    expect(await counter.count(asking('first'))).toBeNull();
    // On a busy machine the second may be late, too.
    expect((await counter.count(asking('second')))?.outputTokens ?? 2).toBe(2);
  });

  it('the thread is told when to come to an end: a little before its answer is due', async () => {
    const asked: Question[] = [];
    const counter = counterWith({ start: () => heard(silentThread(), asked), budgetMs: 50, answerWithinMs: 1_000 });
    const beforeMs = sharedMs();
    void counter.count(asking('text'));
    const afterMs = sharedMs();
    const [question] = asked;
    const limits = question?.kind === 'count' ? question.limits : null;
    expect(limits?.budgetMs).toBe(50);
    expect(limits?.untilMs).toBeGreaterThanOrEqual(beforeMs + 900);
    expect(limits?.untilMs).toBeLessThanOrEqual(afterMs + 900);
  });
});

describe('preparing', () => {
  it('loads each encoding once, whatever the models are called', async () => {
    const asked: Question[] = [];
    const counter = counterWith({ start: () => heard(silentThread(), asked) });
    for (const model of ['gpt-4o', 'gpt-4o', 'llama', 'gpt-4', 'gpt-4o']) counter.prepare(model);
    await until(() => asked.length === 2);
    expect(asked).toEqual([
      { kind: 'load', encoding: 'o200k_base' },
      { kind: 'load', encoding: 'cl100k_base' },
    ]);
  });

  it('starts the thread later than the request that asks for it goes on', () => {
    let starts = 0;
    const counter = counterWith({
      start: () => {
        starts += 1;
        return silentThread();
      },
    });
    counter.prepare('gpt-4o');
    expect(starts).toBe(0);
  });

  it('is done again by the thread that takes the place of one that failed', async () => {
    const threads = [failingThread, startWorker];
    const counter = counterWith({ start: () => (threads.shift() ?? startWorker)() });
    counter.prepare('gpt-4o');
    await until(() => {
      counter.prepare('gpt-4o');
      return threads.length === 0;
    });
    expect(await counter.count(asking('one'))).toMatchObject({ outputTokens: 1 });
  });

  it('after the end starts nothing', async () => {
    let starts = 0;
    const start = () => {
      starts += 1;
      return silentThread();
    };
    const counter = counterWith({ start });
    counter.prepare('gpt-4o');
    await counter.close();
    counter.prepare('gpt-4');
    await new Promise((resolve) => setImmediate(resolve));
    expect(starts).toBe(0);
  });
});

describe('faults', () => {
  it.each([
    ['throws', failingThread],
    ['is stuck', stuckThread],
    ['wants too much memory', greedyThread],
  ])('a thread that %s loses its request only, and another one goes on', async (_how, faulty) => {
    const threads = [faulty, startWorker];
    const causes: (Error | null)[] = [];
    const counter = counterWith({
      stuckAfterMs: 200,
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
    expect(counter.tally).toEqual({ ...NOTHING, dropped: 2 });
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
