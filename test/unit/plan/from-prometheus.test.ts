import { describe, expect, it } from 'vitest';
import { observedByPrometheus } from '../../../src/plan/from-prometheus.ts';
import { plansFor } from '../../../src/plan/plan.ts';
import type { PrometheusApi, Series } from '../../../src/plan/prometheus-api.ts';

const NOW_SECONDS = Date.UTC(2026, 0, 2) / 1000;
const HOUR = 3_600;
const SCRAPE_SECONDS = 15;

/** What a metric was at a time: of a counter its rate, of a histogram's bucket too; null while it was not there. */
interface Recorded {
  metric: string;
  labels: Record<string, string>;
  at: (atSeconds: number) => number | null;
}

/** Answers the queries that a plan asks, of metrics that are functions of time. */
class Recording implements Pick<PrometheusApi, 'query' | 'range'> {
  readonly #recorded: readonly Recorded[];

  constructor(recorded: readonly Recorded[]) {
    this.#recorded = recorded;
  }

  async query(expression: string): Promise<Series[]> {
    if (expression.startsWith('pitot_build_info')) {
      const points = [2, 1, 0].map((ago) => ({ atSeconds: NOW_SECONDS - ago * SCRAPE_SECONDS, value: 1 }));
      return [{ labels: {}, points }];
    }
    return [];
  }

  async range(
    expression: string,
    { startSeconds, endSeconds, stepSeconds }: { startSeconds: number; endSeconds: number; stepSeconds: number },
  ): Promise<Series[]> {
    const metric = /pitot_\w+/.exec(expression)?.[0];
    const by = /^(?:sum|max) by \(([^)]*)\)/.exec(expression)?.[1]?.split(', ') ?? null;
    const times = expression.includes('increase(') ? stepSeconds : 1;
    const groups = new Map<string, { labels: Record<string, string>; values: Map<number, number> }>();
    for (const { labels, at } of this.#recorded.filter((one) => one.metric === metric)) {
      const kept = Object.fromEntries(Object.entries(labels).filter(([name]) => by === null || by.includes(name)));
      const key = JSON.stringify(kept);
      const group = groups.get(key) ?? { labels: kept, values: new Map<number, number>() };
      groups.set(key, group);
      for (let atSeconds = startSeconds; atSeconds <= endSeconds; atSeconds += stepSeconds) {
        const value = at(atSeconds);
        if (value !== null) group.values.set(atSeconds, (group.values.get(atSeconds) ?? 0) + value * times);
      }
    }
    return [...groups.values()].map(({ labels, values }) => ({
      labels,
      points: [...values].map(([atSeconds, value]) => ({ atSeconds, value })),
    }));
  }
}

const always = (value: number) => () => value;
const M = { upstream: 'u', model: 'm', workload: 'batch' };

interface Batch {
  answerSeconds: number;
  answers: number;
  tokensEach: number;
  hours?: number;
}

/** Answers in one piece, in lock step: their tokens are counted in the one step in which all of them end. */
function batch({ answerSeconds, answers, tokensEach, hours = 24 }: Batch): Recorded[] {
  const isOn = (at: number) => at > NOW_SECONDS - hours * HOUR;
  const ends = (at: number) => (isOn(at) && at % answerSeconds === 0 ? answers / 60 : 0);
  const bound = [60, 120, 180, 300, 600, 1_800, 3_600].find((seconds) => seconds >= answerSeconds) ?? 3_600;
  return [
    {
      metric: 'pitot_request_phase_seconds_total',
      labels: { ...M, phase: 'unstreamed' },
      at: (at) => (isOn(at) ? answers : 0),
    },
    { metric: 'pitot_output_tokens_total', labels: M, at: (at) => ends(at) * tokensEach },
    ...[bound / 2, bound, bound * 2].map((le) => ({
      metric: 'pitot_request_duration_seconds_bucket',
      labels: { ...M, le: `${le}` },
      at: (at: number) => (le >= bound ? ends(at) : 0),
    })),
    { metric: 'pitot_upstream_gpus', labels: { upstream: 'u' }, at: always(1) },
  ];
}

async function plansOf(recorded: readonly Recorded[]) {
  const observed = await observedByPrometheus(new Recording(recorded), NOW_SECONDS);
  return plansFor(observed, { tokensPerDay: 1e9, ttftSloSeconds: null });
}

describe('a plan from recorded counters', () => {
  it.each([180, 600, 1_800])(
    'of answers in one piece has their mean throughput, not that of the step in which they end (%i s each)',
    async (answerSeconds) => {
      const [plan] = await plansOf(batch({ answerSeconds, answers: 4, tokensEach: 40 * answerSeconds }));
      expect(plan?.batch?.concurrency).toBe(4);
      expect(plan?.batch?.tokens_per_second).toBeGreaterThan(160 * 0.95);
      expect(plan?.batch?.tokens_per_second).toBeLessThan(160 * 1.05);
    },
  );

  it('of such answers that did not run long enough is none, and says why', async () => {
    const plans = await plansOf(batch({ answerSeconds: 1_800, answers: 4, tokensEach: 72_000, hours: 2 }));
    expect(plans).toMatchObject([{ upstream: 'u', model: 'm', interactive: null, batch: null }]);
    expect(plans[0]?.reason).toContain('answers that are not streamed');
  });

  it('of a stream is made step by step', async () => {
    const [plan] = await plansOf([
      { metric: 'pitot_request_phase_seconds_total', labels: { ...M, phase: 'decode' }, at: always(8) },
      { metric: 'pitot_output_tokens_total', labels: M, at: always(300) },
    ]);
    expect(plan?.batch).toMatchObject({ concurrency: 8 });
    expect(plan?.batch?.tokens_per_second).toBeCloseTo(300, -1);
  });

  it('looks back for GPUs, prices and conditions as far as for the curve, and takes the newest', async () => {
    const stopped = (value: number) => (at: number) => (at < NOW_SECONDS - 10 * HOUR ? value : null);
    const [plan] = await plansOf([
      ...batch({ answerSeconds: 180, answers: 4, tokensEach: 7_200 }).slice(0, -1),
      { metric: 'pitot_upstream_gpus', labels: { upstream: 'u' }, at: stopped(4) },
      { metric: 'pitot_gpu_price_dollars_per_hour', labels: { upstream: 'u' }, at: stopped(2) },
      { metric: 'pitot_upstream_info', labels: { upstream: 'u', precision: 'fp8' }, at: stopped(1) },
    ]);
    expect(plan?.batch).toMatchObject({ conditions: { precision: 'fp8' } });
    expect(plan?.batch?.dollars_per_day).not.toBeNull();
    expect(plan?.reason).not.toContain('changed');
  });

  it('says what changed in the time that it looks back', async () => {
    const change = NOW_SECONDS - 10 * HOUR;
    const until = (value: number) => (at: number) => (at < change ? value : null);
    const since = (value: number) => (at: number) => (at < change ? null : value);
    const info = 'pitot_upstream_info';
    const [plan] = await plansOf([
      ...batch({ answerSeconds: 180, answers: 4, tokensEach: 7_200 }).slice(0, -1),
      { metric: 'pitot_upstream_gpus', labels: { upstream: 'u' }, at: (at) => (at < change ? 2 : 4) },
      { metric: 'pitot_gpu_price_dollars_per_hour', labels: { upstream: 'u' }, at: (at) => (at < change ? 3 : 1) },
      { metric: info, labels: { upstream: 'u', precision: 'fp8', instance: 'a', job: 'p' }, at: until(1) },
      { metric: info, labels: { upstream: 'u', precision: 'fp16', instance: 'b', job: 'p' }, at: since(1) },
    ]);
    expect(plan?.batch).toMatchObject({ conditions: { precision: 'fp16' } });
    expect(plan?.reason).toContain('its conditions changed');
    expect(plan?.reason).toContain('its GPUs changed from 2 to 4');
    expect(plan?.reason).toContain('its price changed from 3 to 1 dollars');
    expect(plan?.reason).not.toContain('summed over');
  });

  it('judges by the targets in force: not by one that a reload took out, though by one that was there to the last', async () => {
    const until = (at: number) => (at < NOW_SECONDS - 2 * HOUR ? 0.5 : null);
    const threshold = { metric: 'pitot_slo_threshold_seconds', labels: { workload: 'chat', slo: 'ttft' }, at: until };
    const info = { metric: 'pitot_upstream_info', labels: { upstream: 'u' } };
    const targets = async (at: Recorded['at']) => {
      const [observed] = await observedByPrometheus(
        new Recording([...batch({ answerSeconds: 180, answers: 4, tokensEach: 7_200 }), threshold, { ...info, at }]),
        NOW_SECONDS,
      );
      return observed?.targets;
    };
    expect(await targets(always(1))).toEqual([]);
    expect(await targets(until)).toEqual([{ workload: 'chat', ttftMs: 500, minSpeed: null }]);
  });
});
