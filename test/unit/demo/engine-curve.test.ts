import { describe, expect, it } from 'vitest';
import { decodeOnlyPoint, expectedTokensPerStep, steadyState, unloadedTtftMs } from '../../../src/demo/engine-curve.ts';
import { EngineModel } from '../../../src/demo/engine-model.ts';
import { DEMO_PROFILE, type EngineProfile } from '../../../src/demo/engine-profile.ts';
import type { TokenAsk } from '../../../src/demo/engine-sequence.ts';
import { logUniformInteger, seededRandom } from '../../../src/demo/random.ts';
import { runClosedLoop } from '../../helpers/closed-loop.ts';

const CONCURRENCIES = [1, 2, 4, 8, 16, 24, 32, 48];
const CHAT: TokenAsk = { inputTokens: 500, outputTokens: 150 };
const WARM_UP_MS = 10_000;
const DURATION_MS = 120_000;

/** What a closed loop really gets out of the model, in simulated time, after a warm-up. */
function measure(profile: EngineProfile, concurrency: number, nextAsk: () => TokenAsk) {
  let tokens = 0;
  let answers = 0;
  const sums = { inputTokens: 0, outputTokens: 0, ttftMs: 0, tpotMs: 0 };
  const endedMs = runClosedLoop({
    model: new EngineModel(profile, 11),
    concurrency,
    nextAsk,
    durationMs: DURATION_MS,
    onStep: (step) => {
      if (step.endedMs > WARM_UP_MS) for (const emission of step.emissions) tokens += emission.tokens;
    },
    onAnswer: ({ submittedMs, firstTokenMs, lastTokenMs, ask }) => {
      if (firstTokenMs < WARM_UP_MS) return;
      answers += 1;
      sums.inputTokens += ask.inputTokens;
      sums.outputTokens += ask.outputTokens;
      sums.ttftMs += firstTokenMs - submittedMs;
      sums.tpotMs += (lastTokenMs - firstTokenMs) / (ask.outputTokens - 1);
    },
  });
  return {
    systemTokensPerSecond: (tokens / (endedMs - WARM_UP_MS)) * 1_000,
    userTokensPerSecond: (answers / sums.tpotMs) * 1_000,
    meanTtftMs: sums.ttftMs / answers,
    meanAsk: { inputTokens: sums.inputTokens / answers, outputTokens: sums.outputTokens / answers },
  };
}

const relativeError = (real: number, stated: number) => Math.abs(real / stated - 1);

const speculating: EngineProfile = { ...DEMO_PROFILE, speculation: { draftTokens: 3, acceptance: 0.7 } };
const prefillBound: EngineProfile = { ...DEMO_PROFILE, prefillChunkTokens: 64 };

describe('the stated curve', () => {
  it.each([
    ['one token a step', DEMO_PROFILE],
    ['speculative decoding', speculating],
    ['prefill that limits', prefillBound],
  ])('is what the model yields, within 2 % at every concurrency: %s', (_name, profile) => {
    for (const concurrency of CONCURRENCIES) {
      const stated = steadyState(profile, concurrency, CHAT);
      const real = measure(profile, concurrency, () => CHAT);
      expect(
        relativeError(real.systemTokensPerSecond, stated.systemTokensPerSecond),
        `system at ${concurrency}`,
      ).toBeLessThan(0.02);
      expect(
        relativeError(real.userTokensPerSecond, stated.userTokensPerSecond),
        `user at ${concurrency}`,
      ).toBeLessThan(0.02);
    }
  });

  it('holds for mixed lengths of the same means', () => {
    for (const concurrency of CONCURRENCIES) {
      const random = seededRandom(5);
      const real = measure(DEMO_PROFILE, concurrency, () => ({
        inputTokens: logUniformInteger(random, 60, 2_000),
        outputTokens: logUniformInteger(random, 40, 400),
      }));
      const stated = steadyState(DEMO_PROFILE, concurrency, real.meanAsk);
      expect(
        relativeError(real.systemTokensPerSecond, stated.systemTokensPerSecond),
        `system at ${concurrency}`,
      ).toBeLessThan(0.02);
      expect(
        relativeError(real.userTokensPerSecond, stated.userTokensPerSecond),
        `user at ${concurrency}`,
      ).toBeLessThan(0.02);
    }
  });

  it('bounds the mean TTFT from below, up to its own 2 %', () => {
    for (const concurrency of CONCURRENCIES) {
      const { meanTtftMs } = measure(DEMO_PROFILE, concurrency, () => CHAT);
      expect(meanTtftMs).toBeGreaterThan(0.98 * steadyState(DEMO_PROFILE, concurrency, CHAT).ttftFloorMs);
    }
  });
});

describe('the laws of continuous batching', () => {
  const points = Array.from({ length: 64 }, (_, index) => steadyState(DEMO_PROFILE, index + 1, CHAT));
  const pairs = points.slice(1).map((point, index) => ({ before: points[index] ?? point, after: point }));

  it('system throughput never falls with concurrency, and no longer rises beyond the slots', () => {
    for (const { before, after } of pairs) {
      expect(after.systemTokensPerSecond).toBeGreaterThanOrEqual(before.systemTokensPerSecond);
    }
    expect(points[63]?.systemTokensPerSecond).toBe(points[31]?.systemTokensPerSecond);
    expect(points[23]?.systemTokensPerSecond).toBeGreaterThan(8 * (points[0]?.systemTokensPerSecond ?? Infinity));
  });

  it('each doubling of concurrency gains less than the one before', () => {
    const at = (concurrency: number) => points[concurrency - 1]?.systemTokensPerSecond ?? 0;
    const gains = [2, 4, 8, 16, 32].map((concurrency) => at(concurrency) / at(concurrency / 2));
    expect(gains).toEqual([...gains].sort((a, b) => b - a));
  });

  it('per-user speed never rises with concurrency', () => {
    for (const { before, after } of pairs) {
      expect(after.userTokensPerSecond).toBeLessThanOrEqual(before.userTokensPerSecond + 1e-9);
    }
  });

  it('TTFT grows with every request beyond the slots', () => {
    for (const { before, after } of pairs.filter((pair) => pair.before.concurrency >= DEMO_PROFILE.slots + 1)) {
      expect(after.ttftFloorMs).toBeGreaterThan(before.ttftFloorMs);
    }
  });

  it('no steady state beats the step in which nobody prefills', () => {
    for (const point of points) {
      const ceiling = decodeOnlyPoint(DEMO_PROFILE, Math.min(point.concurrency, DEMO_PROFILE.slots), CHAT.inputTokens);
      expect(point.systemTokensPerSecond).toBeLessThanOrEqual(ceiling.systemTokensPerSecond);
    }
  });

  it('an idle engine serves the first token in exactly the stated time', () => {
    for (const inputTokens of [1, 511, 512, 513, 2_000]) {
      const model = new EngineModel({ ...DEMO_PROFILE, stepJitter: 0 }, 1);
      model.submit({ inputTokens, outputTokens: 1 }, 0);
      let endedMs = 0;
      while (model.stepEndsMs !== null) endedMs = model.finishStep().endedMs;
      expect(endedMs).toBeCloseTo(unloadedTtftMs(DEMO_PROFILE, inputTokens));
    }
  });

  it('speculation multiplies the tokens of a step by the geometric sum of accepted drafts', () => {
    expect(expectedTokensPerStep(DEMO_PROFILE)).toBe(1);
    expect(expectedTokensPerStep(speculating)).toBeCloseTo(1 + 0.7 + 0.49 + 0.343);
  });
});
