import { describe, expect, it } from 'vitest';
import { binOf } from '../../../src/curve/concurrency-bins.ts';
import { maxUnderSlo, median } from '../../../src/curve/max-under-slo.ts';
import type { CurveBin } from '../../../src/curve/operating-curve.ts';
import { saturation } from '../../../src/curve/saturation.ts';
import { EngineModel } from '../../../src/demo/engine-model.ts';
import { DEMO_PROFILE } from '../../../src/demo/engine-profile.ts';
import { logUniformInteger, seededRandom } from '../../../src/demo/random.ts';
import { runClosedLoop } from '../../helpers/closed-loop.ts';
import { SimulatedService } from '../../helpers/simulated-service.ts';

const WALK = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64];
const STAGE_MS = 200_000;
const TTFT_TARGET_MS = 500;
const asks = (seed: number) => {
  const random = seededRandom(seed);
  return () => ({
    inputTokens: logUniformInteger(random, 60, 1_000),
    outputTokens: logUniformInteger(random, 40, 200),
  });
};

interface Truth {
  tokensPerSecond: number;
  ttftMs: number[];
  speeds: number[];
}

/** What the engine really gives at one concurrency, by its own time. */
function truthAt(concurrency: number): Truth {
  const warmUpMs = 20_000;
  let tokens = 0;
  const truth: Truth = { tokensPerSecond: 0, ttftMs: [], speeds: [] };
  const endedMs = runClosedLoop({
    model: new EngineModel(DEMO_PROFILE, 3),
    concurrency,
    nextAsk: asks(5),
    durationMs: 400_000,
    onStep: ({ endedMs: atMs, emissions }) => {
      if (atMs > warmUpMs) for (const emission of emissions) tokens += emission.tokens;
    },
    onAnswer: ({ submittedMs, firstTokenMs, lastTokenMs, ask }) => {
      if (firstTokenMs < warmUpMs) return;
      truth.ttftMs.push(firstTokenMs - submittedMs);
      truth.speeds.push((1000 * (ask.outputTokens - 1)) / (lastTokenMs - firstTokenMs));
    },
  });
  truth.tokensPerSecond = (tokens / (endedMs - warmUpMs)) * 1000;
  return truth;
}

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)] ?? Number.NaN;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const error = (measured: number | null | undefined, truth: number) => Math.abs((measured ?? Number.NaN) / truth - 1);

describe('the curve of an engine whose truth is known, under a load that walks from 1 to 64', () => {
  const service = new SimulatedService(DEMO_PROFILE, [
    {
      workload: 'chat',
      stream: true,
      wanted: (elapsedMs) => WALK[Math.floor(elapsedMs / STAGE_MS)] ?? 0,
      nextAsk: asks(5),
    },
  ]);
  service.run(WALK.length * STAGE_MS);
  const bins: readonly CurveBin[] = service.curves.configured()[0]?.bins ?? [];
  const truths = new Map(WALK.map((concurrency) => [concurrency, truthAt(concurrency)]));
  /** The truth averaged over the concurrencies that fall into the same bin. */
  const truthOf = ({ concurrency }: CurveBin) => {
    const within = WALK.filter((one) => binOf(one) === concurrency).flatMap((one) => truths.get(one) ?? []);
    return {
      tokensPerSecond: mean(within.map(({ tokensPerSecond }) => tokensPerSecond)),
      ttftP95Ms: quantile(
        within.flatMap(({ ttftMs }) => ttftMs),
        0.95,
      ),
      speedP50: quantile(
        within.flatMap(({ speeds }) => speeds),
        0.5,
      ),
    };
  };
  const known = bins.filter(({ windows }) => Math.round(windows) >= 30);

  it('has every bin of the walk, each with its thirty windows', () => {
    expect(known.map(({ concurrency }) => concurrency)).toEqual([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]);
  });

  it('is within 5 % of it in throughput, speed and TTFT p95 at every bin', () => {
    for (const bin of known) {
      const truth = truthOf(bin);
      const [series] = bin.series;
      expect(error(median(bin), truth.tokensPerSecond), `throughput at ${bin.concurrency}`).toBeLessThan(0.05);
      expect(error(series?.bins.speed.quantile(0.5), truth.speedP50), `speed at ${bin.concurrency}`).toBeLessThan(0.05);
      expect(error(series?.bins.ttft.quantile(0.95), truth.ttftP95Ms), `TTFT at ${bin.concurrency}`).toBeLessThan(0.05);
    }
  });

  it('gives the max throughput under a TTFT target within 5 %, and its concurrency within one bin', () => {
    const trueMax = WALK.filter((one) => quantile(truths.get(one)?.ttftMs ?? [], 0.95) <= TTFT_TARGET_MS);
    const best = Math.max(...trueMax.map((one) => truths.get(one)?.tokensPerSecond ?? 0));
    const found = maxUnderSlo(bins, { workload: 'chat', ttftMs: TTFT_TARGET_MS, minSpeed: null });
    expect(error(found === null ? null : median(found.bin), best)).toBeLessThan(0.05);
    const middles = bins.map(({ concurrency }) => concurrency);
    const trueMiddle = binOf(Math.max(...trueMax)) ?? 0;
    expect(Math.abs(middles.indexOf(found?.bin.concurrency ?? 0) - middles.indexOf(trueMiddle))).toBeLessThanOrEqual(1);
  });

  it('tells where it saturates: at the 24 slots of the engine, or one bin above, since 20 is in the bin of 24', () => {
    expect([24, 32]).toContain(saturation(bins)?.concurrency);
  });
});
