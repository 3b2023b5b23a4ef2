import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type DemoEngine, startDemoEngine } from '../../src/demo/engine-server.ts';
import { Load } from '../../src/demo/load.ts';
import { PEAK_CONCURRENCY } from '../../src/demo/load-plan.ts';
import { until } from '../helpers/until.ts';

/** So quick that an answer of the load takes a fraction of a second. */
const QUICK = { stepBaseMs: 1, stepPerRequestMs: 0.01, prefillTokensPerSecond: 1_000_000, stepPerThousandContextMs: 0 };

const open: { engine: DemoEngine | null; load: Load | null } = { engine: null, load: null };
afterEach(async () => {
  await open.load?.stop();
  await open.engine?.close();
  Object.assign(open, { engine: null, load: null });
});

async function start(concurrencyAt: () => number) {
  const engine = await startDemoEngine({ profile: QUICK });
  const load = new Load({ url: engine.url, seed: 1, clock: systemClock, concurrencyAt });
  Object.assign(open, { engine, load });
  return { engine, load };
}

describe('the load', () => {
  it('keeps as many requests in flight as the plan wants, and follows it up and down', async () => {
    let wanted = 3;
    const { load } = await start(() => wanted);
    expect(load.counts().inFlight).toBe(3);
    await until(() => load.counts().answered >= 6);
    expect(load.counts()).toMatchObject({ inFlight: 3, peakInFlight: 3 });
    wanted = 8;
    await until(() => load.counts().inFlight === 8);
    wanted = 1;
    await until(() => load.counts().inFlight === 1);
    const { answered } = load.counts();
    await until(() => load.counts().answered >= answered + 2);
    expect(load.counts()).toMatchObject({ inFlight: 1, peakInFlight: 8, failed: 0 });
  });

  it('never has more in flight than its peak, whatever is wanted', async () => {
    const { engine, load } = await start(() => 10_000);
    let most = 0;
    await until(() => {
      const { running, waiting } = engine.truth();
      most = Math.max(most, running + waiting);
      return load.counts().answered >= 100;
    });
    expect(load.counts().peakInFlight).toBe(PEAK_CONCURRENCY);
    expect(load.wanted()).toBe(PEAK_CONCURRENCY);
    expect(most).toBeLessThanOrEqual(PEAK_CONCURRENCY);
  });

  it('some of its clients leave in mid-stream, which the engine sees', async () => {
    const { engine, load } = await start(() => 16);
    await until(() => load.counts().left >= 1 && engine.truth().cancelled >= 1);
    expect(load.counts().failed).toBe(0);
  });

  it('stops at once and leaves nothing behind', async () => {
    const { engine, load } = await start(() => 12);
    await until(() => load.counts().answered >= 1);
    await load.stop();
    expect(load.counts().inFlight).toBe(0);
    await until(() => engine.truth().running === 0 && engine.truth().waiting === 0);
    const { submitted } = engine.truth();
    await load.stop();
    expect(engine.truth().submitted).toBe(submitted);
  });

  it('does not hammer a gateway that is away', async () => {
    const { engine, load } = await start(() => 4);
    await engine.close();
    const startedMs = performance.now();
    await until(() => load.counts().failed >= 12);
    // Three rounds of four, a tick of 250 ms between them; the first round may be the broken streams.
    expect(performance.now() - startedMs).toBeGreaterThan(250);
  });
});
