import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LiveAccount } from '../../../src/meter/live-account.ts';
import type { Phase } from '../../../src/meter/record.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { newBooks, openingOf, shownBy, workerPair } from '../../helpers/worker-pair.ts';

/** One thing that happens to one of three requests. */
type Step =
  | { kind: 'requested'; model: string | null }
  | { kind: 'confirmed'; answered: string | null }
  | { kind: 'phase'; phase: Phase | null }
  | { kind: 'emitted'; characters: number; running: number | null }
  | { kind: 'settled'; outputTokens: number | null }
  | { kind: 'passed'; ms: number };

const model = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { nil: null });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('requested' as const), model }),
  fc.record({ kind: fc.constant('confirmed' as const), answered: model }),
  fc.record({
    kind: fc.constant('phase' as const),
    phase: fc.constantFrom<(Phase | null)[]>('prefill', 'decode', 'unstreamed', null),
  }),
  fc.record({
    kind: fc.constant('emitted' as const),
    characters: fc.integer({ min: 0, max: 40 }),
    running: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null }),
  }),
  fc.record({
    kind: fc.constant('settled' as const),
    outputTokens: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
  }),
  fc.record({ kind: fc.constant('passed' as const), ms: fc.integer({ min: 0, max: 400 }) }),
);
const anyStory = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), anyStep), { maxLength: 60 });

function happen(account: LiveAccount, step: Step, clock: ManualClock): void {
  const atMs = clock.nowMs();
  if (step.kind === 'requested') account.requested(step.model);
  else if (step.kind === 'confirmed') account.confirmModel(step.answered);
  else if (step.kind === 'phase') account.phase(step.phase, atMs);
  else if (step.kind === 'emitted') account.emitted(step.characters, step.running, atMs);
  else if (step.kind === 'passed') clock.advance(step.ms);
  else {
    const { outputTokens } = step;
    const lesson =
      outputTokens === null ? null : { visibleTokens: outputTokens, characters: 80, chunks: 20, isReported: true };
    account.settle({ outputTokens, lesson, wasReported: true, fromMs: atMs - 100, toMs: atMs });
  }
}

/** The same story in one process, and in a worker that tells it to another, which hears of it at these steps. */
function both(story: readonly (readonly [number, Step])[], isHeardAfter: (step: number) => boolean) {
  const clock = new ManualClock();
  const one = newBooks(clock);
  const accounts = [0, 1, 2].map(() => one.books.openAccount(openingOf()));
  for (const [request, step] of story) if (accounts[request]) happen(accounts[request], step, clock);

  const pair = workerPair();
  const relayed = [0, 1, 2].map(() => pair.open());
  pair.flush();
  for (const [index, [request, step]] of story.entries()) {
    if (relayed[request]) happen(relayed[request], step, pair.clock);
    if (isHeardAfter(index)) pair.flush();
  }
  pair.flush();
  return { one: shownBy(one.ledger, clock), other: shownBy(pair.ledger, pair.clock) };
}

it('what a worker tells as it happens makes the ledger of one process, to the last token', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const { one, other } = both(story, () => true);
      expect(other).toEqual(one);
    }),
    { numRuns: 300 },
  );
});

it('told late and added up, it comes to the same tokens, labels, gauges and overflow', () => {
  // In the life of a request its model is named before its output comes, and it settles at the end of it.
  const isBetween = ({ kind }: Step) => kind === 'phase' || kind === 'emitted' || kind === 'passed';
  fc.assert(
    fc.property(anyStory, fc.array(fc.boolean(), { maxLength: 60 }), (story, heard) => {
      const named = [0, 1, 2].map((request) => [request, { kind: 'confirmed', answered: 'a' }] as const);
      const ends = [0, 1, 2].map((request) => [request, { kind: 'settled', outputTokens: 50 }] as const);
      const whole = [...named, ...story.filter(([, step]) => isBetween(step)), ...ends];
      const { one, other } = both(whole, (step) => heard[step] ?? false);
      const finals = (shown: typeof one) =>
        shown.series.map(({ labels, outputTokens, withheld, inFlight }) => ({
          labels,
          final: outputTokens - withheld,
          inFlight,
        }));
      expect(finals(other)).toEqual(finals(one));
      expect(other.overflow).toEqual(one.overflow);
    }),
    { numRuns: 300 },
  );
});

it('the counter never falls, whenever it is told', () => {
  fc.assert(
    fc.property(anyStory, fc.array(fc.boolean(), { maxLength: 60 }), (story, heard) => {
      const pair = workerPair();
      const relayed = [0, 1, 2].map(() => pair.open());
      let last = 0;
      for (const [index, [request, step]] of story.entries()) {
        if (relayed[request]) happen(relayed[request], step, pair.clock);
        if (!(heard[index] ?? false)) continue;
        pair.flush();
        const now = [...pair.ledger.series()].reduce((sum, { outputTokens }) => sum + outputTokens, 0);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    }),
  );
});

it('whenever a worker dies, what is counted less what is withheld is the sum of the records, and nothing is in flight', () => {
  fc.assert(
    fc.property(anyStory, fc.array(fc.boolean(), { maxLength: 60 }), (story, heard) => {
      const pair = workerPair();
      const relayed = [0, 1, 2].map(() => pair.open());
      for (const [index, [request, step]] of story.entries()) {
        // A request that has settled ends with it: that a worker tells in one breath.
        if (step.kind !== 'settled' && relayed[request]) happen(relayed[request], step, pair.clock);
        if (heard[index] ?? false) pair.flush();
      }
      const opened = pair.replay.running;
      pair.replay.died(pair.clock.nowMs());
      expect(pair.finished).toHaveLength(opened);
      const shown = shownBy(pair.ledger, pair.clock);
      const records = pair.finished.reduce((sum, { record }) => sum + (record.output_tokens ?? 0), 0);
      expect(shown.series.reduce((sum, { outputTokens, withheld }) => sum + outputTokens - withheld, 0)).toBe(records);
      for (const { inFlight } of shown.series) expect(inFlight).toEqual({ prefill: 0, decode: 0, unstreamed: 0 });
      for (const { record } of pair.finished) expect(record.outcome).toBe('gateway_shutdown');
    }),
  );
});
