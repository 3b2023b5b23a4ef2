import { describe, expect, it } from 'vitest';
import { maxUnderSlo } from '../../../src/curve/max-under-slo.ts';
import type { CurveBin } from '../../../src/curve/operating-curve.ts';
import { DEMO_PROFILE } from '../../../src/demo/engine-profile.ts';
import { logUniformInteger, seededRandom } from '../../../src/demo/random.ts';
import { SimulatedService } from '../../helpers/simulated-service.ts';

const STAGE_MS = 200_000;
/** Four chats all the time, beside ever more of the night's batch. */
const CHATS = 4;
const BATCH = [0, 4, 8, 12, 20, 28, 44];

describe('streamed chat with an SLO and unstreamed batch without, on one engine', () => {
  const random = seededRandom(9);
  const service = new SimulatedService(DEMO_PROFILE, [
    {
      workload: 'chat',
      stream: true,
      wanted: (elapsedMs) => (elapsedMs < BATCH.length * STAGE_MS ? CHATS : 0),
      nextAsk: () => ({
        inputTokens: logUniformInteger(random, 60, 600),
        outputTokens: logUniformInteger(random, 40, 150),
      }),
    },
    {
      workload: 'batch',
      stream: false,
      wanted: (elapsedMs) => BATCH[Math.floor(elapsedMs / STAGE_MS)] ?? 0,
      nextAsk: () => ({ inputTokens: 1_000, outputTokens: 150 }),
    },
  ]);
  service.run(BATCH.length * STAGE_MS);
  const bins: readonly CurveBin[] = service.curves.configured()[0]?.bins.filter(({ windows }) => windows >= 30) ?? [];
  const of = (bin: CurveBin, workload: string) => bin.series.find((series) => series.workload === workload);

  it('share one curve over their concurrency together', () => {
    expect(bins.map(({ concurrency }) => concurrency)).toEqual([4, 8, 12, 16, 24, 32, 48]);
  });

  it('stay apart in it: only chat has a speed and a TTFT, both have their lengths', () => {
    for (const bin of bins.slice(1)) {
      expect(of(bin, 'chat')?.bins.ttft.total).toBeGreaterThan(0);
      expect(of(bin, 'batch')?.bins.ttft.total).toBe(0);
      expect(of(bin, 'batch')?.bins.speed.total).toBe(0);
      expect(of(bin, 'batch')?.bins.output.quantile(0.5)).toBeCloseTo(150, -1);
    }
  });

  it('the tokens of the unstreamed answers are in the throughput of the windows in which they were made', () => {
    const throughput = bins.map((bin) => bin.throughput.quantile(0.5) ?? 0);
    expect(throughput[3]).toBeGreaterThan(1.8 * (throughput[0] ?? 0));
    const spreads = bins.map(({ throughput: bin }) => (bin.quantile(0.95) ?? 0) / (bin.quantile(0.05) ?? 1));
    expect(Math.max(...spreads)).toBeLessThan(1.5);
  });

  it('the rise of TTFT in chat with batch can be read off it, and how much batch its SLO allows', () => {
    const ttft = bins.map((bin) => of(bin, 'chat')?.bins.ttft.quantile(0.95) ?? 0);
    expect(ttft.at(-1)).toBeGreaterThan(5 * (ttft[0] ?? 0));
    const allowed = maxUnderSlo(bins, { workload: 'chat', ttftMs: 500, minSpeed: null });
    expect([16, 24]).toContain(allowed?.bin.concurrency);
  });
});
