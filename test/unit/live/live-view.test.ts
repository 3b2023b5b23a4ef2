import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/ledger/ledger.ts';
import { UpstreamStatus } from '../../../src/ledger/upstream-status.ts';
import { gpusOfAll, slosOfAll } from '../../../src/live/configured.ts';
import { LiveView } from '../../../src/live/live-view.ts';
import { Throughput } from '../../../src/live/throughput.ts';
import { UpstreamView } from '../../../src/live/upstream-view.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { configOf, finishedRequest } from '../../helpers/recorder.ts';
import { openingOf } from '../../helpers/worker-pair.ts';

const UPSTREAMS = `upstreams:
  - { name: u, url: "http://127.0.0.1:1", gpus: 2, gpu_price_per_hour: 1.8 }
  - { name: free, url: "http://127.0.0.1:2" }
`;
const SLO = `workloads: [ { name: chat, slo: { ttft: 2s, tpot: 50ms, objective: 0.95 } }, { name: batch } ]
`;

function newView(yaml = UPSTREAMS) {
  const clock = new ManualClock();
  const config = configOf(yaml);
  const throughput = new Throughput();
  const gateway = { version: '1.2.3', started_at: '2026-01-02T03:04:05.000Z', workers: 1, simulation: false };
  const ledger = new Ledger({
    clock,
    maxLabelSets: 200,
    maxModels: 100,
    activityOf: (upstream, model) => throughput.windowOf(upstream, model),
    onPhase: (move) => upstreams.phase(move),
  });
  const upstreams = new UpstreamView({
    throughput,
    configured: () => config.upstreams.map((one) => ({ config: one, status: new UpstreamStatus(one.name, clock) })),
    costOf: () => null,
    curveOf: () => ({
      saturation: 32,
      maxUnderSlo: [{ workload: 'chat', tokens_per_second: 900, concurrency: 24 }],
    }),
  });
  const state = { isDraining: false };
  const view = new LiveView({
    clock,
    gateway: () => gateway,
    isDraining: () => state.isDraining,
    ledger,
    throughput,
    upstreams,
    slos: () => slosOfAll(config),
    localCounts: { counted: 0, extrapolated: 0, fell_back: 0 },
    gpus: () => gpusOfAll(config),
  });
  return { clock, view, ledger, throughput, gateway, state };
}

/** Every number in it, wherever it stands. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('the snapshot', () => {
  it('says nothing that it does not know, before anything has happened', () => {
    const { view, gateway } = newView();
    const snapshot = view.snapshot();
    expect(snapshot).toMatchObject({
      time: '2026-01-02T03:04:05.000Z',
      gateway,
      status: 'idle',
      user_speed: null,
      running_speed: null,
      ttft: null,
      requests: [],
      failures: [],
      failure_counts: [],
      slos: [],
      cost: { dollars_per_million_output_tokens: null, gpu_dollars_per_hour: 3.6 },
      estimated: { finished: null, running: null },
    });
    expect(numbersIn(snapshot).every(Number.isFinite)).toBe(true);
    // What JSON makes null of must have been null.
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  it('has the dollars of all priced GPUs for the tokens that they made', () => {
    const { clock, view, throughput } = newView();
    throughput.windowOf('u', 'm').spread(6_000, clock.nowMs(), clock.nowMs() + 60_000);
    throughput.windowOf('free', 'm').spread(60_000, clock.nowMs(), clock.nowMs() + 60_000);
    clock.advance(60_000);
    const { cost } = view.snapshot();
    expect(cost?.gpu_dollars_per_hour).toBe(3.6);
    expect(cost?.dollars_per_million_output_tokens).toBeCloseTo(10);
    expect(newView('upstreams: [ { name: u, url: "http://127.0.0.1:1" } ]').view.snapshot().cost).toBeNull();
  });

  it('has the targets of workloads that have any, and what upstreams allow under them', () => {
    const { view } = newView(UPSTREAMS + SLO);
    const { slos, goodput, upstreams } = view.snapshot();
    expect(slos).toEqual([
      { workload: 'chat', ttft_ms: 2_000, tpot_ms: 50, speed: null, gap_ms: null, e2e_ms: null, objective: 0.95 },
    ]);
    expect(goodput.map(({ workload }) => workload)).toEqual(['chat']);
    expect(upstreams[0]).toMatchObject({
      saturation_concurrency: 32,
      max_under_slo: [{ workload: 'chat', tokens_per_second: 900, concurrency: 24 }],
    });
  });

  it('says how much of it nobody but Pitot counted', () => {
    const { clock, view } = newView();
    const end = (tokens: number | null, source: 'reported' | 'partial' | 'estimated' | 'none') =>
      view.requestFinished(finishedRequest({ output_tokens: tokens, usage_source: source }));
    end(60, 'reported');
    end(20, 'estimated');
    end(20, 'partial');
    end(null, 'none');
    clock.advance(1_000);
    expect(view.snapshot().estimated.finished).toBe(0.2);
    clock.advance(60_000);
    expect(view.snapshot().estimated.finished).toBeNull();
  });

  it('has a request from its beginning to its end', () => {
    const { clock, view, ledger } = newView();
    const account = ledger.open('u', 'default', 'openai.chat');
    view.requestBegan(openingOf({ t0Ms: clock.nowMs() }), account);
    account.phase('prefill', clock.nowMs());
    clock.advance(2_000);
    expect(view.snapshot()).toMatchObject({
      status: 'flowing',
      status_text: '1 generation in flight, 0 tokens per second.',
      requests: [{ id: 'r1', phase: 'prefill', age_ms: 2_000, tokens: 0 }],
    });
    account.phase(null, clock.nowMs());
    view.requestFinished(finishedRequest({ id: 'r1', outcome: 'client_aborted', status: 499 }));
    expect(view.snapshot()).toMatchObject({ status: 'idle', requests: [], failures: [{ id: 'r1' }] });
  });

  it('says that the gateway is shutting down', () => {
    const { view, state } = newView();
    state.isDraining = true;
    expect(view.snapshot().status).toBe('draining');
  });
});
