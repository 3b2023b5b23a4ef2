import { describe, expect, it } from 'vitest';
import type { SloTargets } from '../../../src/meter/slo.ts';
import { NO_FACTS } from '../../../src/wire/request-facts.ts';
import { JSON_BODY } from '../../helpers/fact-log.ts';
import { type MeteredOptions, metered, nothing, text, usage } from '../../helpers/metered.ts';
import type { Script } from '../../helpers/scripted-dialect.ts';

const TARGETS: SloTargets = { ttft: 500, tpot: 50, speed: null, gap: 300, e2e: 5_000 };
const ALL_GOOD = { ttft: true, tpot: true, gap: true, e2e: true, all: true };

type Scripts = readonly Script[];

const judged = (scripts: Scripts, options: MeteredOptions = {}) => metered(scripts, { targets: TARGETS, ...options });

function bad(request: ReturnType<typeof metered>): number {
  request.ledger.findOverdue();
  return [...request.ledger.series()].reduce((sum, { verdicts }) => sum + verdicts.of('ttft').bad, 0);
}

function goodTokens(request: ReturnType<typeof metered>): number {
  return [...request.ledger.series()].reduce((sum, { verdicts }) => sum + verdicts.goodOutputTokens, 0);
}

describe('the SLOs in a record', () => {
  it('are judged on its own figures', () => {
    const request = judged([text('a'), text('b'), text('c'), usage(5, 3)]);
    request.begin();
    request.arrive(500);
    request.arrive(50);
    request.arrive(50, 2);
    expect(request.finish().slo).toEqual(ALL_GOOD);
    expect(goodTokens(request)).toBe(3);
  });

  it('may be good of a client that left, but what it did not get whole is wasted, and no good tokens', () => {
    const request = judged([text('a'), text('b'), text('c')], { terminal: 9 });
    request.begin();
    for (let chunk = 0; chunk < 3; chunk += 1) request.arrive(50);
    const record = request.finish('client_left');
    expect(record).toMatchObject({ slo: { ttft: true, tpot: true, all: true }, output_tokens: 3 });
    expect(goodTokens(request)).toBe(0);
  });

  it('name what was missed', () => {
    const request = judged([text('a'), text('b'), text('c'), usage(5, 3)]);
    request.begin();
    request.arrive(501);
    request.arrive(50);
    request.arrive(301, 2);
    expect(request.finish().slo).toEqual({ ttft: false, tpot: false, gap: false, e2e: true, all: false });
    expect(goodTokens(request)).toBe(0);
  });

  it('are none where the workload has none', () => {
    const request = metered([text('a'), usage(5, 1)]);
    request.begin();
    request.arrive(10, 2);
    expect(request.finish().slo).toEqual({});
  });

  it('of an answer in one piece are about its end alone', () => {
    const request = judged([text('a'), usage(5, 1)], { stream: false });
    request.begin();
    request.arrive(2_000, 2);
    expect(request.finish().slo).toEqual({ e2e: true, all: true });
  });

  it('of a slow client are none: what it waited for is no fault of the engine', () => {
    const request = judged([text('a'), text('b'), usage(5, 2)]);
    request.begin();
    request.arrive(10);
    request.arrive(100, 2);
    request.meter.clientBlocked(6);
    expect(request.finish().slo).toEqual({});
  });

  it('of an upstream that was never reached are all bad', () => {
    const request = judged([]);
    request.meter.body({ ...NO_FACTS, stream: true });
    request.meter.bodyEnded(10, request.clock.nowMs());
    expect(request.finish('upstream_unreachable', 502).slo).toEqual({
      ttft: false,
      tpot: false,
      gap: false,
      e2e: false,
      all: false,
    });
  });

  it('of a request that was refused before its body was read are all bad: it may have been a stream', () => {
    const request = judged([]);
    expect(request.finish('rejected', 503).slo).toMatchObject({ ttft: false, e2e: false, all: false });
    const known = judged([]);
    known.meter.body({ ...NO_FACTS, stream: false });
    expect(known.finish('rejected', 503).slo).toEqual({ e2e: false, all: false });
  });

  it('of a body that nobody could read are those of a stream if the API streams by default, else undecided', () => {
    const left = (streamsByDefault: boolean) => {
      const request = judged([], { streamsByDefault });
      request.meter.bodyEnded(10, request.clock.nowMs());
      request.clock.advance(600);
      return request.finish('client_left', 499).slo;
    };
    expect(left(true)).toEqual({ ttft: false, all: false });
    expect(left(false)).toEqual({});
  });
});

describe('a stream that is stuck in its prefill', () => {
  it('is bad as soon as its time has passed, and stays so', () => {
    const request = judged([nothing, text('a'), usage(5, 1)]);
    request.begin();
    request.arrive(500);
    expect(bad(request)).toBe(0);
    request.clock.advance(1);
    expect(bad(request)).toBe(1);
    request.arrive(10_000, 2);
    expect(bad(request)).toBe(1);
    expect(request.finish().slo).toMatchObject({ ttft: false, all: false });
    expect(bad(request)).toBe(1);
  });

  it('waits from the end of its body, not from its head', () => {
    const request = judged([]);
    request.meter.body({ ...NO_FACTS, stream: true });
    request.clock.advance(2_000);
    expect(bad(request)).toBe(0);
    request.meter.bodyEnded(10, request.clock.nowMs());
    request.clock.advance(499);
    expect(bad(request)).toBe(0);
    request.clock.advance(2);
    expect(bad(request)).toBe(1);
  });

  it('was asked for as an answer in one piece, and is a stream by its head', () => {
    const request = judged([], { stream: true, facts: { stream: false } });
    request.begin();
    request.clock.advance(501);
    expect(bad(request)).toBe(1);
  });

  it('is none where an answer in one piece came, or a refusal', () => {
    const request = judged([text('a'), usage(5, 1)], { stream: false, facts: { stream: true } });
    request.begin();
    request.clock.advance(10_000);
    expect(bad(request)).toBe(0);
    request.arrive(1, 2);
    expect(request.finish().slo).toEqual({ e2e: false, all: false });
  });

  it('is none where nobody can read what comes', () => {
    const request = judged([], { openDecoder: () => null });
    request.begin(200, 'zstd');
    request.clock.advance(10_000);
    expect(bad(request)).toBe(0);
    expect(request.degraded).toEqual(['unsupported_encoding']);
    expect(request.finish('client_left', 200).slo).toEqual({});
  });

  it('is none where its answer came before its body was complete and cannot be read', () => {
    const request = judged([], { openDecoder: () => null });
    request.meter.body({ ...NO_FACTS, stream: true });
    const head = { ...JSON_BODY, mediaType: 'text/event-stream', contentEncoding: 'zstd', upstreamRequestId: null };
    request.meter.answerHead(head, request.clock.nowMs());
    request.meter.bodyEnded(10, request.clock.nowMs());
    request.clock.advance(10_000);
    expect(bad(request)).toBe(0);
  });
});
