import { describe, expect, it } from 'vitest';
import { UpstreamStatus } from '../../../src/ledger/upstream-status.ts';
import { Throughput } from '../../../src/live/throughput.ts';
import { UpstreamView } from '../../../src/live/upstream-view.ts';
import type { Phase } from '../../../src/meter/record.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { configOf, finishedRequest, LABELS } from '../../helpers/recorder.ts';

const FLOOR = 'floor: { output_tokens_per_second: 100, min_concurrency: 2 }';
const YAML = `upstreams: [ { name: default, url: "http://127.0.0.1:1", gpus: 4, conditions: { gpu: H100 }, ${FLOOR} } ]`;

/** One upstream, 60 seconds after it began to be watched. */
function newView(yaml = YAML, saturation: number | null = null) {
  const clock = new ManualClock();
  const throughput = new Throughput();
  const status = new UpstreamStatus('default', clock);
  const [config] = configOf(yaml).upstreams;
  if (config === undefined) throw new Error('expected an upstream');
  const view = new UpstreamView({
    throughput,
    configured: () => [{ config, status }],
    costOf: () => null,
    curveOf: () => ({ saturation, maxUnderSlo: [] }),
  });
  const startMs = clock.nowMs();
  clock.advance(60_000);
  return {
    clock,
    view,
    status,
    throughput,
    /** So many generations in a phase for all of the minute, which made so many tokens a second. */
    ran(generations: number, tokensPerSecond: number, phase: Phase = 'decode') {
      status.answered();
      for (let count = 0; count < generations; count += 1) {
        status.requestStarted(startMs);
        view.phase({ upstream: 'default', from: null, to: phase, atMs: startMs, beganMs: startMs });
      }
      throughput.windowOf('default', 'tiny').spread(tokensPerSecond * 60, startMs, clock.nowMs());
    },
    snapshot() {
      const [snapshot] = view.snapshots(clock.nowMs());
      if (snapshot === undefined) throw new Error('expected a snapshot');
      return snapshot;
    },
  };
}

describe('what is shown of an upstream', () => {
  it('has its throughput with the conditions it came about under', () => {
    const { view, clock, ran, snapshot } = newView();
    ran(3, 200);
    const record = { input_tokens: 600, output_tokens: 300, e2e_ms: 4_000, ttft_ms: 1_000, upload_ms: 0 };
    view.finished(finishedRequest(record, { endMs: clock.nowMs() }), clock.nowMs());
    const seen = snapshot();
    expect(seen).toMatchObject({ state: 'flowing', up: true, conditions: { gpu: 'H100' }, gpus: 4, cost: null });
    expect(seen.concurrency).toEqual({ total: 3, prefill: 0, decode: 3, unstreamed: 0 });
    expect(seen.tokens_per_second).toBeCloseTo(200);
    expect(seen.tokens_per_second_per_gpu).toBeCloseTo(50);
    expect(seen.input_tokens_per_second).toBeCloseTo(10);
    expect(seen.input_tokens?.p50).toBeCloseTo(600, -1);
    expect(seen.models[0]).toMatchObject({ model: LABELS.model });
    expect(seen.models[0]?.ttft_ms?.p95).toBeCloseTo(1_000, -2);
    expect(view.conditions(clock.nowMs())).toMatchObject({ concurrency: { total: 3 } });
    expect(view.conditions(clock.nowMs()).output_tokens?.p50).toBeCloseTo(300, -1);
  });

  it.each([
    ['flowing', { generations: 2, rate: 120, saturation: null }],
    ['below_floor', { generations: 2, rate: 80, saturation: null }],
    ['flowing', { generations: 1, rate: 10, saturation: null }],
    ['saturated', { generations: 9, rate: 300, saturation: 8 }],
    ['flowing', { generations: 8, rate: 300, saturation: 8 }],
    ['idle', { generations: 0, rate: 0, saturation: 8 }],
  ])('is %s with %j', (state, { generations, rate, saturation }) => {
    const { ran, snapshot } = newView(YAML, saturation);
    ran(generations, rate);
    expect(snapshot().state).toBe(state);
  });

  it('is down after a failed attempt, whatever still runs', () => {
    const { ran, status, snapshot } = newView();
    ran(2, 500);
    status.failed();
    expect(snapshot()).toMatchObject({ state: 'down', up: false });
  });

  it('the share of the floor counts only while there is demand', () => {
    const quiet = newView();
    quiet.ran(1, 10);
    expect(quiet.snapshot().floor).toMatchObject({ has_demand: false, share: null });
    const busy = newView();
    busy.ran(4, 80);
    expect(busy.snapshot().floor).toMatchObject({ has_demand: true, share: 0.8, objective: 0.99 });
    expect(newView('upstreams: [ { name: default, url: "http://127.0.0.1:1" } ]').snapshot()).toMatchObject({
      floor: null,
      gpus: null,
      tokens_per_second_per_gpu: null,
    });
  });

  it('knows nothing before the first request, and says 0 only where it is 0', () => {
    expect(newView().snapshot()).toMatchObject({
      up: null,
      state: 'idle',
      tokens_per_second: 0,
      input_tokens: null,
      output_tokens: null,
      models: [],
    });
  });
});
