import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamWindows } from '../../../src/curve/upstream-windows.ts';
import type { ClosedWindow } from '../../../src/curve/window.ts';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { finishedRequest } from '../../helpers/recorder.ts';

/** One request of an upstream, on a time line in seconds. */
interface Sketch {
  from: number;
  to: number;
  /** Null: not streamed. */
  firstToken?: number | null;
  tokens?: number;
  record?: Partial<UsageRecord>;
  slowClient?: boolean;
}

class Upstream {
  readonly windows = new UpstreamWindows();

  enter({ from, firstToken = null }: Sketch): void {
    const to = firstToken === null ? 'unstreamed' : 'prefill';
    this.windows.phase({ upstream: 'u', from: null, to, atMs: from * 1000, beganMs: from * 1000 });
  }

  leave({ from, to, firstToken = null, tokens = 0, record = {}, slowClient = false }: Sketch): void {
    const phase = firstToken === null ? 'unstreamed' : 'decode';
    this.windows.phase({ upstream: 'u', from: phase, to: null, atMs: to * 1000, beganMs: from * 1000 });
    const start = firstToken ?? from;
    this.windows.spread(tokens, { fromMs: start * 1000, toMs: to * 1000 });
    const seconds = to - start;
    const times = {
      ttft_ms: firstToken === null ? null : (firstToken - from) * 1000,
      decode_ms: firstToken === null ? null : seconds * 1000,
      user_speed_tokens_per_second: firstToken === null || tokens === 0 ? null : (tokens - 1) / seconds,
      output_tokens: tokens,
    };
    const whole = { e2e_ms: (to - from) * 1000, upload_ms: 0, ...times, ...record };
    this.windows.finished(finishedRequest(whole, { endMs: to * 1000, slowClient }));
  }

  run(...sketches: Sketch[]): this {
    for (const sketch of sketches) this.enter(sketch);
    for (const sketch of sketches) this.leave(sketch);
    return this;
  }

  closed(atSeconds: number): ClosedWindow[] {
    const closed: ClosedWindow[] = [];
    this.windows.close(atSeconds * 1000, (window) => closed.push({ ...window, series: [...window.series] }));
    return closed;
  }
}

const rates = (windows: readonly ClosedWindow[]) =>
  windows.map(({ concurrency, tokensPerSecond }) => [concurrency, tokensPerSecond]);

describe('the windows of an upstream', () => {
  it('spread an unstreamed answer over its interval, so that overnight batch has a curve', () => {
    const night = new Upstream().run({ from: 100, to: 120, tokens: 400 }, { from: 100, to: 120, tokens: 400 });
    expect(rates(night.closed(200))).toEqual([
      [2, 40],
      [2, 40],
      [2, 40],
      [2, 40],
    ]);
  });

  it('wait for the requests that overlap them, and close in order', () => {
    const upstream = new Upstream();
    upstream.enter({ from: 100, to: 130 });
    upstream.run({ from: 100, to: 105, tokens: 50 });
    expect(upstream.closed(128)).toEqual([]);
    upstream.leave({ from: 100, to: 130, tokens: 300 });
    expect(rates(upstream.closed(140))[0]).toEqual([2, 20]);
  });

  it('are no longer held up by a request that hangs for an hour: they say nothing, but where it is a few percent of all', () => {
    const upstream = new Upstream();
    upstream.enter({ from: 100, to: Number.POSITIVE_INFINITY });
    upstream.run({ from: 200, to: 205, tokens: 500 });
    upstream.run(...Array.from({ length: 29 }, () => ({ from: 300, to: 305, tokens: 100 })));
    expect(upstream.closed(3_000)).toEqual([]);
    expect(rates(upstream.closed(3_920))).toEqual([[30, 580]]);
  });

  it('weigh concurrency by time: its integral, whatever enters and leaves when', () => {
    const upstream = new Upstream().run({ from: 100, to: 105, tokens: 10 }, { from: 101, to: 103.5, tokens: 5 });
    expect(rates(upstream.closed(200))).toEqual([[1.5, 3]]);
  });

  it('in which the concurrency was not near its mean are none: half of 24 and half of nothing is not 12', () => {
    const half = Array.from({ length: 24 }, () => ({ from: 100, to: 102.5, tokens: 90 }));
    expect(new Upstream().run(...half).closed(200)).toEqual([]);
    const most = Array.from({ length: 24 }, () => ({ from: 100, to: 104.8, tokens: 180 }));
    expect(new Upstream().run(...most).closed(200)).toHaveLength(1);
  });

  it('take it in any order: what another process tells late lands where it belongs', () => {
    const request = fc.record({
      from: fc.integer({ min: 100, max: 180 }),
      length: fc.integer({ min: 1, max: 40 }),
      tokens: fc.integer({ min: 1, max: 500 }),
    });
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (requests, order) => {
          const first = { from: 100, to: 101, tokens: 1 };
          const sketches = [
            first,
            ...requests.map(({ from, length, tokens }) => ({ from, to: from + length, tokens })),
          ];
          const shuffled = sketches
            .map((sketch) => ({ sketch, rank: order.next().value }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ sketch }) => sketch);
          const one = new Upstream();
          one.enter(first);
          one.leave(first);
          for (const sketch of shuffled) if (sketch !== first) one.run(sketch);
          const other = new Upstream().run(...sketches);
          const [a, b] = [rates(one.closed(400)), rates(other.closed(400))];
          expect(a.length).toBe(b.length);
          for (const [index, pair] of a.entries()) {
            expect(pair[0]).toBeCloseTo(b[index]?.[0] ?? Number.NaN, 6);
            expect(pair[1]).toBeCloseTo(b[index]?.[1] ?? Number.NaN, 6);
          }
        },
      ),
    );
  });

  it('keep a request apart that a slow client made slow, and the windows in which it did', () => {
    const slow = { from: 100, to: 110, firstToken: 100, tokens: 100, slowClient: true };
    const upstream = new Upstream().run({ ...slow, record: { client_blocked_ms: 4_000 } });
    expect(upstream.closed(200)).toEqual([]);
    const many = Array.from({ length: 9 }, () => ({ from: 100, to: 110, firstToken: 100.5, tokens: 100 }));
    const crowd = new Upstream().run({ ...slow, record: { client_blocked_ms: 4_000 } }, ...many).closed(200);
    expect(crowd).toHaveLength(2);
    const samples = crowd.flatMap(({ series }) => [...series]).map(({ bins }) => bins.speed.total);
    expect(samples.reduce((sum, one) => sum + one, 0)).toBeCloseTo(9);
  });

  it('say nothing where the answers could not be counted, or a server failed', () => {
    const uncounted = { from: 100, to: 110, record: { output_tokens: null, usage_source: 'none' as const } };
    expect(new Upstream().run(uncounted).closed(200)).toEqual([]);
    const failed = { from: 100, to: 110, record: { outcome: 'upstream_timeout' as const } };
    expect(new Upstream().run(failed, failed, { from: 100, to: 110, tokens: 50 }).closed(200)).toEqual([]);
  });

  it('a prompt that takes long to read is no failure: its windows count, without a token', () => {
    const upstream = new Upstream().run({ from: 100, to: 110, firstToken: 105, tokens: 50 });
    expect(rates(upstream.closed(200))).toEqual([
      [1, 0],
      [1, 10],
    ]);
  });

  it('count a request once in its figures, spread over the windows in which it was measured', () => {
    const [one, two, three] = new Upstream()
      .run({ from: 100, to: 115, firstToken: 105, tokens: 101 })
      .closed(200)
      .map(({ series }) => [...series][0]);
    expect([one, two, three].map((series) => series?.bins.speed.total)).toEqual([0, 0.5, 0.5]);
    expect([one, two, three].map((series) => series?.firstTokens)).toEqual([0, 1, 0]);
    const lengths = [one, two, three].reduce((sum, series) => sum + (series?.bins.output.total ?? 0), 0);
    expect(lengths).toBeCloseTo(1);
  });

  it('an idle night costs nothing, and what comes after it is counted as before', () => {
    const upstream = new Upstream().run({ from: 100, to: 105, tokens: 50 });
    expect(upstream.closed(200)).toHaveLength(1);
    expect(upstream.closed(86_000)).toEqual([]);
    upstream.run({ from: 86_400, to: 86_405, tokens: 50 });
    expect(rates(upstream.closed(86_500))).toEqual([[1, 10]]);
  });
});
