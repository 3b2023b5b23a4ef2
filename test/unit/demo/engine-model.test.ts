import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineModel } from '../../../src/demo/engine-model.ts';
import { DEMO_PROFILE, type EngineProfile } from '../../../src/demo/engine-profile.ts';

const profiles: fc.Arbitrary<EngineProfile> = fc.record({
  slots: fc.integer({ min: 1, max: 6 }),
  stepBaseMs: fc.double({ min: 0.1, max: 20, noNaN: true }),
  stepPerRequestMs: fc.double({ min: 0, max: 2, noNaN: true }),
  stepPerThousandContextMs: fc.double({ min: 0, max: 2, noNaN: true }),
  prefillTokensPerSecond: fc.double({ min: 100, max: 50_000, noNaN: true }),
  prefillChunkTokens: fc.integer({ min: 1, max: 600 }),
  speculation: fc.option(
    fc.record({ draftTokens: fc.integer({ min: 1, max: 5 }), acceptance: fc.double({ min: 0, max: 1, noNaN: true }) }),
  ),
  stepJitter: fc.double({ min: 0, max: 0.9, noNaN: true }),
});

const asks = fc.record({
  inputTokens: fc.integer({ min: 1, max: 900 }),
  outputTokens: fc.integer({ min: 1, max: 60 }),
});

type Action =
  | { kind: 'submit'; ask: { inputTokens: number; outputTokens: number } }
  | { kind: 'step' }
  | { kind: 'cancel'; which: number };
const actions: fc.Arbitrary<Action> = fc.oneof(
  asks.map((ask): Action => ({ kind: 'submit', ask })),
  fc.constant<Action>({ kind: 'step' }),
  fc.nat({ max: 30 }).map((which): Action => ({ kind: 'cancel', which })),
);

/** Plays the actions, then runs the engine dry; keeps its own books. */
function play(profile: EngineProfile, script: readonly Action[]) {
  const model = new EngineModel(profile, 3);
  const asked = new Map<number, number>();
  const got = new Map<number, number>();
  const finished = new Set<number>();
  const cancelled = new Set<number>();
  const mostRunning: number[] = [];
  let nowMs = 0;
  const step = () => {
    const outcome = model.finishStep();
    expect(outcome.endedMs).toBeGreaterThan(outcome.startedMs);
    expect(outcome.startedMs).toBeGreaterThanOrEqual(nowMs);
    nowMs = outcome.endedMs;
    for (const emission of outcome.emissions) {
      expect(cancelled.has(emission.id)).toBe(false);
      expect(finished.has(emission.id)).toBe(false);
      expect(emission.first).toBe(!got.has(emission.id));
      got.set(emission.id, (got.get(emission.id) ?? 0) + emission.tokens);
      if (emission.finished) finished.add(emission.id);
    }
    mostRunning.push(model.truth().running);
  };
  for (const action of script) {
    if (action.kind === 'submit') asked.set(model.submit(action.ask, nowMs), action.ask.outputTokens);
    else if (action.kind === 'cancel') {
      if (model.cancel(action.which)) cancelled.add(action.which);
    } else if (model.stepEndsMs !== null) step();
  }
  while (model.stepEndsMs !== null) step();
  return { model, asked, got, finished, cancelled, mostRunning };
}

describe('the engine model', () => {
  it('gives every request that stays exactly the tokens it asked for', () => {
    fc.assert(
      fc.property(profiles, fc.array(actions, { maxLength: 60 }), (profile, script) => {
        const { asked, got, finished, cancelled } = play(profile, script);
        for (const [id, outputTokens] of asked) {
          expect(finished.has(id) || cancelled.has(id)).toBe(true);
          if (finished.has(id)) expect(got.get(id)).toBe(outputTokens);
          else expect(got.get(id) ?? 0).toBeLessThanOrEqual(outputTokens);
        }
      }),
    );
  });

  it('keeps books in which no token and no request is lost, and never exceeds its slots', () => {
    fc.assert(
      fc.property(profiles, fc.array(actions, { maxLength: 60 }), (profile, script) => {
        const { model, asked, got, finished, cancelled, mostRunning } = play(profile, script);
        expect(model.truth()).toMatchObject({
          generatedTokens: [...got.values()].reduce((sum, tokens) => sum + tokens, 0),
          submitted: asked.size,
          finished: finished.size,
          cancelled: cancelled.size,
          running: 0,
          waiting: 0,
        });
        expect(Math.max(0, ...mostRunning)).toBeLessThanOrEqual(profile.slots);
      }),
    );
  });

  it('is the same for the same seed and the same calls', () => {
    fc.assert(
      fc.property(profiles, fc.array(actions, { maxLength: 40 }), (profile, script) => {
        expect(play(profile, script).model.truth()).toEqual(play(profile, script).model.truth());
      }),
    );
  });

  it('prefills in chunks and gives the first token with the last chunk', () => {
    const model = new EngineModel({ ...DEMO_PROFILE, prefillChunkTokens: 100, stepJitter: 0 }, 1);
    model.submit({ inputTokens: 250, outputTokens: 2 }, 0);
    const steps = [model.finishStep(), model.finishStep(), model.finishStep(), model.finishStep()];
    expect(steps.map((step) => step.prefilledTokens)).toEqual([100, 100, 50, 0]);
    expect(steps.map((step) => step.emissions.map(({ first, finished }) => ({ first, finished })))).toEqual([
      [],
      [],
      [{ first: true, finished: false }],
      [{ first: false, finished: true }],
    ]);
    expect(model.stepEndsMs).toBeNull();
  });

  it('lets a request wait for a slot, in order of arrival, and a cancelled one makes room', () => {
    const model = new EngineModel({ ...DEMO_PROFILE, slots: 1 }, 1);
    const [first, second, third] = [1, 2, 3].map(() => model.submit({ inputTokens: 10, outputTokens: 50 }, 0));
    expect(model.truth()).toMatchObject({ running: 1, waiting: 2 });
    expect(model.finishStep().emissions.map(({ id }) => id)).toEqual([first]);
    model.cancel(first ?? 0);
    expect(model.truth()).toMatchObject({ running: 0, waiting: 2 });
    model.finishStep();
    expect(model.finishStep().emissions.map(({ id }) => id)).toEqual([second]);
    model.cancel(third ?? 0);
    expect(model.truth()).toMatchObject({ running: 1, waiting: 0, cancelled: 2 });
  });

  it('starts the next step where the last one ended, so that a late driver loses no time', () => {
    const model = new EngineModel(DEMO_PROFILE, 1);
    model.submit({ inputTokens: 10, outputTokens: 20 }, 5);
    let endedMs = 5;
    while (model.stepEndsMs !== null) {
      const outcome = model.finishStep();
      expect(outcome.startedMs).toBe(endedMs);
      endedMs = outcome.endedMs;
    }
    expect(model.truth().busyMs).toBeCloseTo(endedMs - 5);
  });

  it.each([
    [{ slots: 0 }, 'slots'],
    [{ stepBaseMs: 0 }, 'stepBaseMs'],
    [{ stepPerRequestMs: -1 }, 'stepPerRequestMs'],
    [{ prefillTokensPerSecond: 0 }, 'prefillTokensPerSecond'],
    [{ prefillChunkTokens: 0.5 }, 'prefillChunkTokens'],
    [{ stepJitter: 1 }, 'stepJitter'],
  ])('refuses constants that describe no engine: %o', (fault, named) => {
    expect(() => new EngineModel({ ...DEMO_PROFILE, ...fault }, 1)).toThrow(named);
  });

  it('refuses token counts that are no counts', () => {
    const model = new EngineModel(DEMO_PROFILE, 1);
    for (const outputTokens of [0, -1, 1.5, Number.NaN]) {
      expect(() => model.submit({ inputTokens: 1, outputTokens }, 0)).toThrow(RangeError);
    }
  });
});
