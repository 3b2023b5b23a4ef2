import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { runningApp } from '../helpers/running-app.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const MODELS = [{ match: '*', reference_price: { input: 1, output: 2 } }];

describe('capacity and cost of a running gateway', () => {
  it('are told by the admin port, and the curve survives a restart', { timeout: 60_000 }, async () => {
    await using folder = await tempDir();
    await using upstream = new PacedUpstream({ everyMs: 20, tokensPerChunk: 2 });
    const url = await upstream.start();
    const upstreams = { name: 'paced', url, gpus: 2, gpu_price_per_hour: 3, conditions: { gpu: 'none' } };
    const config = { state: { path: folder.file('curves.json') }, models: MODELS };
    const options = { upstreams, config };
    {
      await using first = await runningApp(options);
      const ask = async () => {
        const answer = await fetch(`http://127.0.0.1:${first.port}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-chunks': '600' },
          body: JSON.stringify({ model: 'paced', stream: true, messages: [] }),
        });
        await answer.text();
      };
      const running = Promise.all([ask(), ask()]);
      await sleep(10_500);
      const flowing = await json(`${first.adminUrl}/api/snapshot`);
      const [seen] = flowing.upstreams;
      expect(seen).toMatchObject({ name: 'paced', state: 'flowing', conditions: { gpu: 'none' }, gpus: 2 });
      expect(seen.concurrency.total).toBeGreaterThan(1.5);
      expect(seen.tokens_per_second_per_gpu).toBeCloseTo(seen.tokens_per_second / 2);
      expect(seen.cost.dollars_per_million_output_tokens).toBeGreaterThan(0);
      expect(flowing.throughput.conditions.concurrency.total).toBeCloseTo(seen.concurrency.total);
      await running;
      // Longer than a record may follow its request, so that the windows are closed.
      await sleep(4_000);
      const [curve] = (await json(`${first.adminUrl}/api/operating-curve`)).curves;
      expect(curve).toMatchObject({ upstream: 'paced', conditions: { gpu: 'none' }, scope: 'process' });
      expect(curve.bins[0]).toMatchObject({ concurrency: 2, models: [{ model: 'paced', workload: 'default' }] });
      const [plan] = (await json(`${first.adminUrl}/api/plan?tokens_per_day=1e9`)).plans;
      expect(plan).toMatchObject({ upstream: 'paced', model: 'paced', interactive: null, batch: { concurrency: 2 } });
      expect(plan.batch.tokens_per_second).toBeGreaterThan(100);
      const metrics = await (await fetch(`${first.adminUrl}/metrics`)).text();
      expect(metrics).toMatch(/^pitot_gpu_cost_dollars_total\{upstream="paced"\} 0\.0/m);
      expect(metrics).toMatch(/^pitot_reference_cost_dollars_total\{upstream="paced",model="paced"\} 0\.00/m);
      expect(metrics).not.toMatch(/ (NaN|[+-]?Inf)$/m);
    }
    await using second = await runningApp(options);
    const [curve] = (await json(`${second.adminUrl}/api/operating-curve`)).curves;
    expect(curve.bins[0]).toMatchObject({ concurrency: 2, models: [{ model: 'paced' }] });
  });

  it('a plan that cannot be understood is refused with one sentence', async () => {
    await using app = await runningApp({ upstreams: 'http://127.0.0.1:9' });
    const answer = await fetch(`${app.adminUrl}/api/plan?tokens_per_day=lots`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('tokens_per_day: expected a number') });
    expect(await json(`${app.adminUrl}/api/plan?tokens_per_day=1`)).toEqual({ plans: [] });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of the API under test, asserted on field by field
async function json(url: string): Promise<any> {
  return (await fetch(url)).json();
}
