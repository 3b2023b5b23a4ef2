import { describe, expect, it } from 'vitest';
import { configOf, finishedRequest, newRecorder } from '../../helpers/recorder.ts';

const HOUR_MS = 3_600_000;
const UPSTREAM = `name: default, url: "http://127.0.0.1:1", gpus: 2, gpu_price_per_hour: 3`;
const FLOOR = 'floor: { output_tokens_per_second: 1500, min_concurrency: 8, objective: 0.95 }';
const MODELS = 'models: [ { match: "ti*", reference_price: { input: 1, output: 4 } } ]';
const yaml = `{ upstreams: [ { ${UPSTREAM}, ${FLOOR} } ], ${MODELS} }`;

/** A recorder in which one model was seen. */
function seen(text = yaml, allowedBySlo: Parameters<typeof newRecorder>[0] = {}) {
  const pitot = newRecorder({ config: configOf(text), ...allowedBySlo });
  const account = pitot.ledger.open('default', 'default', 'openai.chat');
  account.requested('tiny');
  account.confirmModel('tiny');
  return { ...pitot, account, [Symbol.dispose]: () => pitot.recorder.stop() };
}

describe('metrics of cost and capacity', () => {
  it('say what is configured', async () => {
    using pitot = seen();
    const samples = await pitot.exposed();
    expect(samples.get('pitot_gpu_price_dollars_per_hour{upstream="default"}')).toBe(3);
    expect(samples.get('pitot_throughput_floor_tokens_per_second{upstream="default"}')).toBe(1_500);
    expect(samples.get('pitot_throughput_floor_min_concurrency{upstream="default"}')).toBe(8);
    expect(samples.get('pitot_throughput_floor_objective_ratio{upstream="default"}')).toBe(0.95);
    const price = (kind: string) =>
      samples.get(`pitot_reference_price_dollars_per_million_tokens{kind="${kind}",model="tiny"}`);
    expect(['input', 'cached_input', 'output'].map(price)).toEqual([1, 1, 4]);
  });

  it('a request whose model is not known yet is no model', async () => {
    using pitot = seen(yaml.replace('ti*', '*'));
    const names = [...(await pitot.exposed()).keys()].filter((name) => name.startsWith('pitot_reference_'));
    expect(names.filter((name) => name.includes('unknown'))).toEqual([]);
    expect(names).toHaveLength(4);
  });

  it('count what GPUs cost while time passes, and what the tokens cost elsewhere', async () => {
    using pitot = seen();
    expect((await pitot.exposed()).get('pitot_reference_cost_dollars_total{model="tiny",upstream="default"}')).toBe(0);
    pitot.clock.advance(HOUR_MS);
    pitot.costs.finished(finishedRequest({ input_tokens: 1_000, output_tokens: 500 }));
    const samples = await pitot.exposed();
    expect(samples.get('pitot_gpu_cost_dollars_total{upstream="default"}')).toBeCloseTo(6);
    expect(samples.get('pitot_reference_cost_dollars_total{model="tiny",upstream="default"}')).toBeCloseTo(0.003);
  });

  it('the cost of a million tokens is there while something flows, and absent else', async () => {
    using pitot = seen();
    const name = 'pitot_cost_dollars_per_million_output_tokens{upstream="default",window="60s"}';
    expect((await pitot.exposed()).has(name)).toBe(false);
    pitot.account.emitted(4, 60_000, pitot.clock.nowMs());
    pitot.clock.advance(2_000);
    expect((await pitot.exposed()).get(name)).toBeCloseTo((6 / 3.6e6) * 1e6);
    pitot.clock.advance(120_000);
    expect((await pitot.exposed()).has(name)).toBe(false);
  });

  it('the max throughput under SLO and its concurrency are what the curve allows', async () => {
    using pitot = seen(yaml, {
      allowedBySlo: [{ upstream: 'default', workload: 'chat', tokensPerSecond: 900, concurrency: 24 }],
    });
    const samples = await pitot.exposed();
    expect(samples.get('pitot_slo_max_throughput_tokens_per_second{upstream="default",workload="chat"}')).toBe(900);
    expect(samples.get('pitot_slo_max_concurrency{upstream="default",workload="chat"}')).toBe(24);
  });

  it('what is not configured has no series', async () => {
    using pitot = seen('upstreams: [ { name: default, url: "http://127.0.0.1:1" } ]');
    pitot.clock.advance(HOUR_MS);
    const names = [...(await pitot.exposed()).keys()];
    expect(names.filter((name) => /dollars|floor|slo_max/.test(name))).toEqual([]);
  });
});
