import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome, type Slo } from '../../../src/meter/record.ts';
import { type Evidence, judge, type SloTargets, TARGETED_SLOS } from '../../../src/meter/slo.ts';

const NO_TARGETS: SloTargets = { ttft: null, tpot: null, speed: null, gap: null, e2e: null };
/** One set with tpot, one with speed: they say the same thing twice, and are not configured together. */
const BY_TIME: SloTargets = { ...NO_TARGETS, ttft: 500, tpot: 50, gap: 300, e2e: 5_000 };
const BY_SPEED: SloTargets = { ...NO_TARGETS, ttft: 500, speed: 20, gap: 300, e2e: 5_000 };

/** A stream that met everything, to be changed where a test cares. */
const GOOD_STREAM: Evidence = {
  outcome: 'complete',
  status: 200,
  asksForStream: true,
  isStreamed: true,
  isUnread: false,
  hasToken: true,
  waitedMs: 1_200,
  slowClient: false,
  ttftMs: 100,
  tpotMs: 20,
  speed: 50,
  longestGapMs: 31,
  e2eMs: 1_300,
};
const NOTHING_TIMED = { ttftMs: null, tpotMs: null, speed: null, longestGapMs: null };
const LATE = { ttftMs: 501, tpotMs: 51, speed: 19.6, longestGapMs: 301, e2eMs: 5_001 };
const UNSTREAMED = { asksForStream: false, isStreamed: false, ...NOTHING_TIMED };
/** Nothing came of it: no head, no token. */
const NO_ANSWER = { isStreamed: null, hasToken: false, ...NOTHING_TIMED };

const STATUS: Readonly<Record<Outcome, number>> = {
  complete: 200,
  error_in_stream: 200,
  truncated: 200,
  client_aborted: 200,
  upstream_error: 500,
  upstream_reset: 200,
  upstream_timeout: 504,
  upstream_unreachable: 502,
  rejected: 503,
  gateway_shutdown: 200,
};

const BAD = { ttft: false, tpot: false, gap: false, e2e: false, all: false };
const BAD_UNSTREAMED = { e2e: false, all: false };

/** What each outcome makes of a stream and of an answer in one piece that were, but for their end, in time: [judged, undecided]. */
const IN_TIME: Readonly<Record<Outcome, { streamed: [object, Slo[]]; unstreamed: [object, Slo[]] }>> = {
  complete: {
    streamed: [{ ttft: true, tpot: true, gap: true, e2e: true, all: true }, []],
    unstreamed: [{ e2e: true, all: true }, []],
  },
  client_aborted: {
    streamed: [{ ttft: true, tpot: true, gap: true, all: true }, ['e2e']],
    unstreamed: [{}, ['e2e', 'all']],
  },
  error_in_stream: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  truncated: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  upstream_error: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  upstream_reset: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  upstream_timeout: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  upstream_unreachable: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  rejected: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
  gateway_shutdown: { streamed: [BAD, []], unstreamed: [BAD_UNSTREAMED, []] },
};

const told = (seen: Evidence, targets: SloTargets | null) => {
  const { verdicts, undecided } = judge(seen, targets);
  return [verdicts, undecided];
};

/** Every set of targets that can be configured out of these. */
function subsetsOf(targets: SloTargets): SloTargets[] {
  const set = TARGETED_SLOS.filter((slo) => targets[slo] !== null);
  return Array.from({ length: 2 ** set.length }, (_, bits) => ({
    ...NO_TARGETS,
    ...Object.fromEntries(set.filter((_slo, index) => bits & (1 << index)).map((slo) => [slo, targets[slo]])),
  }));
}

describe('the verdicts', () => {
  it.each(OUTCOMES)('on a stream and on an answer in one piece that ended as %s', (outcome) => {
    const stream = { ...GOOD_STREAM, outcome, status: STATUS[outcome] };
    expect(told(stream, BY_TIME)).toEqual(IN_TIME[outcome].streamed);
    expect(told({ ...stream, ...UNSTREAMED }, BY_TIME)).toEqual(IN_TIME[outcome].unstreamed);
  });

  it.each(OUTCOMES)('of each SLO do not depend on which others are configured: %s', (outcome) => {
    for (const form of [{}, LATE, UNSTREAMED, NO_ANSWER]) {
      const seen = { ...GOOD_STREAM, outcome, status: STATUS[outcome], ...form };
      for (const whole of [BY_TIME, BY_SPEED]) {
        const { verdicts, undecided } = judge(seen, whole);
        for (const targets of subsetsOf(whole)) {
          const part = judge(seen, targets);
          for (const slo of TARGETED_SLOS) {
            const isSet = targets[slo] !== null;
            expect(part.verdicts[slo]).toBe(isSet ? verdicts[slo] : undefined);
            expect(part.undecided.includes(slo)).toBe(isSet && undecided.includes(slo));
          }
        }
      }
    }
  });

  it('count what is just in time as good, and what is over it as bad', () => {
    const exactly = { ttftMs: 500, tpotMs: 50, speed: 20, longestGapMs: 300, e2eMs: 5_000 };
    const good = { ttft: true, gap: true, e2e: true, all: true };
    expect(judge({ ...GOOD_STREAM, ...exactly }, BY_TIME).verdicts).toEqual({ ...good, tpot: true });
    expect(judge({ ...GOOD_STREAM, ...exactly }, BY_SPEED).verdicts).toEqual({ ...good, speed: true });
    const bad = { ttft: false, gap: false, e2e: false, all: false };
    expect(judge({ ...GOOD_STREAM, ...LATE }, BY_TIME).verdicts).toEqual({ ...bad, tpot: false });
    expect(judge({ ...GOOD_STREAM, ...LATE }, BY_SPEED).verdicts).toEqual({ ...bad, speed: false });
  });

  it('are none without targets, nor where the client read slowly, however it ended', () => {
    expect(told(GOOD_STREAM, null)).toEqual([{}, []]);
    expect(told(GOOD_STREAM, NO_TARGETS)).toEqual([{}, []]);
    for (const outcome of OUTCOMES) {
      expect(told({ ...GOOD_STREAM, outcome, status: STATUS[outcome], slowClient: true }, BY_TIME)).toEqual([{}, []]);
    }
  });

  it('of a stream too short to have a speed are those that it has', () => {
    const oneToken = { ...GOOD_STREAM, tpotMs: null, speed: null, longestGapMs: null };
    expect(told(oneToken, BY_TIME)).toEqual([{ ttft: true, e2e: true, all: true }, []]);
    expect(told(oneToken, { ...NO_TARGETS, tpot: 50 })).toEqual([{}, []]);
  });
});

describe('a status', () => {
  it.each([400, 401, 403, 404, 413, 422, 499])('of %i is the fault of the request: nothing is judged', (status) => {
    const refused = { ...GOOD_STREAM, ...NO_ANSWER, isStreamed: false, status };
    expect(told({ ...refused, outcome: 'upstream_error' }, BY_TIME)).toEqual([{}, []]);
    expect(told({ ...refused, outcome: 'upstream_error', waitedMs: 9_000 }, BY_TIME)).toEqual([{}, []]);
    if (status === 400) expect(told({ ...refused, outcome: 'rejected' }, BY_TIME)).toEqual([{}, []]);
  });

  it.each([429, 500, 502, 503, 504, 529])('of %i is bad for all, whoever sent it and however soon', (status) => {
    for (const outcome of ['upstream_error', 'rejected', 'client_aborted'] as const) {
      const failed = { ...GOOD_STREAM, ...NO_ANSWER, isStreamed: false, status, outcome, waitedMs: 1, e2eMs: 1 };
      expect(told(failed, BY_TIME)).toEqual([BAD, []]);
      expect(told({ ...failed, asksForStream: false }, BY_TIME)).toEqual([BAD_UNSTREAMED, []]);
    }
  });
});

describe('whether a request counts as streamed', () => {
  it('is what came, where an answer came', () => {
    const wanted = { ...GOOD_STREAM, asksForStream: true, isStreamed: false, ...NOTHING_TIMED };
    expect(judge(wanted, BY_TIME).verdicts).toEqual({ e2e: true, all: true });
    const unwanted = { ...GOOD_STREAM, asksForStream: false, isStreamed: true };
    expect(judge(unwanted, BY_TIME).verdicts).toEqual(IN_TIME.complete.streamed[0]);
  });

  it('is what was asked for, where it failed or nothing came: errors are never streamed', () => {
    const error = { ...GOOD_STREAM, ...NO_ANSWER, isStreamed: false, outcome: 'upstream_error', status: 500 } as const;
    expect(judge(error, BY_TIME).verdicts).toEqual(BAD);
    const left = { ...GOOD_STREAM, ...NO_ANSWER, outcome: 'client_aborted', status: 499, waitedMs: 10 } as const;
    expect(judge(left, BY_TIME).undecided).toEqual(['ttft', 'e2e', 'all']);
    expect(judge({ ...left, asksForStream: false }, BY_TIME).undecided).toEqual(['e2e', 'all']);
  });

  it('is not known before the body is read: it may have been a stream', () => {
    const refused = { ...GOOD_STREAM, ...NO_ANSWER, asksForStream: null, waitedMs: null };
    expect(judge({ ...refused, outcome: 'rejected', status: 503 }, BY_TIME).verdicts).toEqual(BAD);
    const left = judge({ ...refused, outcome: 'client_aborted', status: 499 }, BY_TIME);
    expect(left).toEqual({ verdicts: {}, undecided: ['ttft', 'e2e', 'all'] });
    const longAfter = { ...refused, outcome: 'client_aborted', status: 499, waitedMs: 60_000 } as const;
    expect(judge(longAfter, BY_TIME)).toEqual(left);
  });
});

describe('a first token that never came', () => {
  const waiting = { ...GOOD_STREAM, hasToken: false, ...NOTHING_TIMED };

  it('is too late once its time has passed, and undecided where the client left before', () => {
    const left = { ...waiting, outcome: 'client_aborted', status: 499 } as const;
    expect(told({ ...left, waitedMs: 500 }, BY_TIME)).toEqual([{}, ['ttft', 'e2e', 'all']]);
    expect(told({ ...left, waitedMs: 501 }, BY_TIME)).toEqual([{ ttft: false, all: false }, ['e2e']]);
    expect(told({ ...left, waitedMs: null }, BY_TIME)).toEqual([{}, ['ttft', 'e2e', 'all']]);
  });

  it('is not judged where the answer ended in time without any', () => {
    expect(told({ ...waiting, waitedMs: 400, e2eMs: 500 }, BY_TIME)).toEqual([{ e2e: true, all: true }, []]);
    expect(told({ ...waiting, waitedMs: 600, e2eMs: 700 }, BY_TIME)).toEqual([
      { ttft: false, e2e: true, all: false },
      [],
    ]);
  });

  it('is not missed in an answer that nobody could read', () => {
    const unread = { ...waiting, isUnread: true, waitedMs: 60_000 };
    expect(told(unread, BY_TIME)).toEqual([{ e2e: true, all: true }, []]);
    expect(told({ ...unread, outcome: 'client_aborted' }, BY_TIME)).toEqual([{}, ['e2e', 'all']]);
  });

  it('is not missed where one came before the request was complete', () => {
    const early = { ...GOOD_STREAM, ttftMs: null, waitedMs: 60_000 };
    expect(judge(early, BY_TIME).verdicts).toEqual({ tpot: true, gap: true, e2e: true, all: true });
  });
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const ms = fc.double({ min: 0, max: 10_000, noNaN: true });
const evidence: fc.Arbitrary<Evidence> = fc.record({
  outcome: fc.constantFrom(...OUTCOMES),
  status: fc.constantFrom(200, 302, 400, 404, 429, 499, 500, 503),
  asksForStream: maybe(fc.boolean()),
  isStreamed: maybe(fc.boolean()),
  isUnread: fc.boolean(),
  hasToken: fc.boolean(),
  waitedMs: maybe(ms),
  slowClient: fc.boolean(),
  ttftMs: maybe(ms),
  tpotMs: maybe(ms),
  speed: maybe(ms),
  longestGapMs: maybe(ms),
  e2eMs: ms,
});
const target = maybe(fc.double({ min: 0.001, max: 10_000, noNaN: true }));
const targets: fc.Arbitrary<SloTargets> = fc
  .record({ ttft: target, tpot: target, speed: target, gap: target, e2e: target })
  .map((slo) => (slo.tpot === null ? slo : { ...slo, speed: null }));

describe('whatever happened, by whatever targets', () => {
  it('`all` is the conjunction of what was judged, and there is one if anything was', () => {
    fc.assert(
      fc.property(evidence, targets, (seen, slo) => {
        const { all, ...others } = judge(seen, slo).verdicts;
        const judged = Object.values(others);
        expect(all).toBe(judged.length === 0 ? undefined : judged.every(Boolean));
      }),
    );
  });

  it('an SLO is good, bad, undecided or none of them, and never two; and only what is configured is', () => {
    fc.assert(
      fc.property(evidence, targets, (seen, slo) => {
        const { verdicts, undecided } = judge(seen, slo);
        for (const name of undecided) expect(verdicts[name]).toBeUndefined();
        expect(new Set(undecided).size).toBe(undecided.length);
        for (const name of TARGETED_SLOS) {
          if (slo[name] === null) expect([verdicts[name], undecided.includes(name)]).toEqual([undefined, false]);
        }
      }),
    );
  });

  it('a looser target never makes a good request bad', () => {
    fc.assert(
      fc.property(evidence, targets, fc.double({ min: 1, max: 100, noNaN: true }), (seen, slo, factor) => {
        const loosened = Object.fromEntries(
          TARGETED_SLOS.map((name) => {
            const value = slo[name];
            return [name, value === null ? null : name === 'speed' ? value / factor : value * factor];
          }),
        ) as unknown as SloTargets;
        const before = judge(seen, slo).verdicts;
        const after = judge(seen, loosened).verdicts;
        for (const name of TARGETED_SLOS) if (before[name]) expect(after[name]).toBe(true);
      }),
    );
  });
});
