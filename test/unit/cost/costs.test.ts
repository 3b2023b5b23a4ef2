import { describe, expect, it } from 'vitest';
import { Costs } from '../../../src/cost/costs.ts';
import { dollarsPerMillion } from '../../../src/cost/gpu-dollars.ts';
import { referenceDollars, referencePrices } from '../../../src/cost/reference-price.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { configOf, finishedRequest } from '../../helpers/recorder.ts';

const HOUR_MS = 3_600_000;
const yaml = (upstream: string) => `{ upstreams: [ { name: default, url: "http://127.0.0.1:1"${upstream} } ],
  models: [ { match: "tiny*", reference_price: { input: 1, cached_input: 0.1, output: 4 } },
            { match: "plain", reference_price: { output: 2 } } ] }`;
const PRICED = yaml(', gpus: 2, gpu_price_per_hour: 3');

function newCosts(text = PRICED) {
  const clock = new ManualClock();
  const busy = { ms: 0 };
  const costs = new Costs({ clock, config: configOf(text), busyMs: () => busy.ms });
  return { clock, busy, costs };
}

describe('the cost of GPUs', () => {
  it('grows while time passes, and the part in which nothing ran is idle', () => {
    const { clock, busy, costs } = newCosts();
    clock.advance(2 * HOUR_MS);
    busy.ms = HOUR_MS / 2;
    expect(costs.gpuDollars()).toEqual([{ upstream: 'default', dollars: 12 }]);
    expect(costs.of('default', 0)).toMatchObject({ gpu_dollars_total: 12, idle_dollars_total: 9 });
  });

  it('a new price counts from when it was read', () => {
    const { clock, costs } = newCosts();
    clock.advance(HOUR_MS);
    costs.configure(configOf(yaml(', gpus: 2, gpu_price_per_hour: 5')));
    clock.advance(HOUR_MS);
    expect(costs.gpuDollars()[0]?.dollars).toBeCloseTo(6 + 10);
    costs.configure(configOf(yaml('')));
    clock.advance(HOUR_MS);
    expect(costs.gpuDollars()[0]?.dollars).toBeCloseTo(16);
    expect(costs.of('default', 100)).toBeNull();
  });

  it.each(['', ', gpus: 2', ', gpu_price_per_hour: 3'])('is nothing where it is not configured: %j', (upstream) => {
    const { clock, costs } = newCosts(yaml(upstream));
    clock.advance(HOUR_MS);
    expect(costs.gpuDollars()).toEqual([]);
    expect(costs.of('default', 100)).toBeNull();
    expect(costs.perMillion('default', 100)).toBeNull();
  });

  it('per million tokens: gpus × price ÷ tokens an hour; absent while nothing flows', () => {
    const { costs } = newCosts();
    expect(costs.perMillion('default', 1_000)).toBeCloseTo((6 / 3.6e6) * 1e6);
    for (const rate of [0, -1, Number.NaN]) expect(costs.perMillion('default', rate)).toBeNull();
    expect(dollarsPerMillion(0, 1_000)).toBe(0);
  });

  it('tokens for nobody are charged with their share of the busy time', () => {
    const { clock, busy, costs } = newCosts();
    expect(costs.of('default', 0)?.wasted_dollars_total).toBeNull();
    clock.advance(HOUR_MS);
    busy.ms = HOUR_MS / 2;
    costs.finished(finishedRequest({ output_tokens: 300 }));
    costs.finished(finishedRequest({ output_tokens: 100, outcome: 'client_aborted' }));
    expect(costs.of('default', 0)?.wasted_dollars_total).toBeCloseTo(3 / 4);
  });
});

describe('the reference price', () => {
  it('is that of the model itself, though its label be that of all past the cap', () => {
    const { costs } = newCosts();
    const labels = { upstream: 'default', model: 'other', workload: 'default' };
    const record = { input_tokens: 1e6, output_tokens: 1e6, cached_input_tokens: null };
    costs.finished(finishedRequest({ ...record, model: 'tiny-200' }, { labels }));
    costs.finished(finishedRequest({ ...record, model: 'unpriced' }, { labels }));
    expect(costs.referenceDollars('default', 'other')).toBeCloseTo(5);
    expect(costs.of('default', 0)?.reference_dollars_total).toBeCloseTo(5);
  });

  it('is that of the first entry that matches, cached input as input where it has none of its own', () => {
    const priceOf = referencePrices(configOf(PRICED).models);
    expect(priceOf('tiny-2')).toEqual({ input: 1, cachedInput: 0.1, output: 4 });
    expect(priceOf('plain')).toEqual({ input: null, cachedInput: null, output: 2 });
    expect(priceOf('other')).toBeNull();
    expect(
      referencePrices([{ match: '*', reference_price: { input: 1, cached_input: null, output: 4 } }])('x'),
    ).toEqual({
      input: 1,
      cachedInput: 1,
      output: 4,
    });
  });

  it('counts input, cached input and output, each at its own', () => {
    const price = { input: 1, cachedInput: 0.1, output: 4 };
    expect(referenceDollars(price, { input: 1e6, cachedInput: 4e5, output: 1e6 })).toBeCloseTo(0.6 + 0.04 + 4);
    // An upstream may claim more cached tokens than it read.
    expect(referenceDollars(price, { input: 1e6, cachedInput: 9e6, output: 0 })).toBeCloseTo(0.1);
  });

  it('of what was finished, per upstream and model; null where there is no price', () => {
    const { costs } = newCosts();
    const tokens = { input_tokens: 1_000, cached_input_tokens: 500, output_tokens: 250 };
    costs.finished(finishedRequest(tokens));
    costs.finished(finishedRequest({ ...tokens, cached_input_tokens: null, input_tokens: null }));
    expect(costs.referenceDollars('default', 'tiny')).toBeCloseTo((500 + 50 + 1_000 + 1_000) / 1e6);
    expect(costs.referenceDollars('default', 'tiny-unseen')).toBe(0);
    expect(costs.referenceDollars('default', 'other')).toBeNull();
    expect(costs.of('default', 0)?.reference_dollars_total).toBeCloseTo(0.00255);
  });

  it('requests that are no generations cost nothing', () => {
    const { costs } = newCosts();
    costs.finished(finishedRequest({}, { generation: false }));
    expect(costs.referenceDollars('default', 'tiny')).toBe(0);
  });
});
