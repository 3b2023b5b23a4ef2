import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/ledger/ledger.ts';
import type { WorkloadVerdict } from '../../../src/ledger/live-verdict.ts';
import type { LiveAccount } from '../../../src/meter/live-account.ts';
import { SLOS, type Slo } from '../../../src/meter/record.ts';
import type { Judgement } from '../../../src/meter/slo.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const GOOD: Judgement = { verdicts: { ttft: true, all: true }, undecided: [] };
const BAD: Judgement = { verdicts: { ttft: false, all: false }, undecided: [] };
const NOT_JUDGED: Judgement = { verdicts: {}, undecided: [] };
/** Streamed after all, and good, but for something else. */
const UNSTREAMED_BAD: Judgement = { verdicts: { e2e: false, all: false }, undecided: [] };
const TTFT_MS = 500;

function newLedger() {
  const clock = new ManualClock();
  const told: WorkloadVerdict[] = [];
  const activity = { tokens() {}, spread() {}, worked() {}, phase() {} };
  const ledger = new Ledger({
    clock,
    maxLabelSets: 200,
    maxModels: 100,
    activityOf: () => activity,
    onVerdict: (verdict) => told.push(verdict),
  });
  return {
    clock,
    ledger,
    told,
    /** A stream of a known model, waiting for its first token. */
    waiting(model = 'm'): LiveAccount {
      const account = ledger.open('u', 'chat', 'openai.chat');
      account.requested(model);
      account.phase('prefill', clock.nowMs());
      account.firstTokenDue(clock.nowMs() + TTFT_MS);
      return account;
    },
    end(account: LiveAccount, judgement: Judgement, outputTokens: number | null = 7) {
      account.phase(null, clock.nowMs());
      account.judged({ judgement, outputTokens, endMs: clock.nowMs() });
    },
    /** As whoever reads sees it: good, bad and undecided over all label sets. */
    counts(slo: Slo) {
      ledger.findOverdue();
      const sum = { good: 0, bad: 0, undecided: 0 };
      for (const { verdicts } of ledger.series()) {
        const count = verdicts.of(slo);
        sum.good += count.good;
        sum.bad += count.bad;
        sum.undecided += count.undecided;
      }
      return sum;
    },
    goodTokens: () => [...ledger.series()].reduce((sum, { verdicts }) => sum + verdicts.goodOutputTokens, 0),
  };
}

describe('a verdict', () => {
  it('is counted once, in the label set of its moment', () => {
    const { clock, ledger, waiting, end, counts, goodTokens } = newLedger();
    const account = waiting('new');
    clock.advance(100);
    account.confirmModel('named');
    account.phase('decode', clock.nowMs());
    expect(counts('ttft')).toEqual({ good: 1, bad: 0, undecided: 0 });
    expect(counts('all')).toEqual({ good: 0, bad: 0, undecided: 0 });
    end(account, GOOD);
    expect(counts('ttft')).toEqual({ good: 1, bad: 0, undecided: 0 });
    expect(counts('all')).toEqual({ good: 1, bad: 0, undecided: 0 });
    expect(counts('e2e')).toEqual({ good: 0, bad: 0, undecided: 0 });
    expect(goodTokens()).toBe(7);
    const named = [...ledger.series()].find(({ labels }) => labels.model === 'named');
    expect(named?.verdicts.of('all').good).toBe(1);
  });

  it('that is undecided is counted apart', () => {
    const { waiting, end, counts, goodTokens } = newLedger();
    end(waiting(), { verdicts: {}, undecided: ['ttft', 'e2e', 'all'] });
    for (const slo of ['ttft', 'e2e', 'all'] as const) expect(counts(slo)).toEqual({ good: 0, bad: 0, undecided: 1 });
    expect(goodTokens()).toBe(0);
  });

  it('is told to the goodput of its workload, with the tokens of good ones', () => {
    const { clock, waiting, end, told } = newLedger();
    end(waiting(), GOOD, 34);
    end(waiting(), GOOD, null);
    end(waiting(), BAD, 34);
    end(waiting(), NOT_JUDGED, 34);
    const at = { workload: 'chat', atMs: clock.nowMs() };
    expect(told).toEqual([
      { ...at, isGood: true, outputTokens: 34 },
      { ...at, isGood: true, outputTokens: 0 },
      { ...at, isGood: false, outputTokens: 0 },
    ]);
  });
});

describe('a first token in time', () => {
  /** Its first token came, and it still runs. */
  const running = (ledger: ReturnType<typeof newLedger>) => {
    const account = ledger.waiting();
    ledger.clock.advance(TTFT_MS);
    account.phase('decode', ledger.clock.nowMs());
    return account;
  };

  it('is good when it comes, as its TTFT is counted then, and not again at the end', () => {
    const ledger = newLedger();
    const account = running(ledger);
    ledger.clock.advance(600_000);
    expect(ledger.counts('ttft')).toEqual({ good: 1, bad: 0, undecided: 0 });
    ledger.end(account, GOOD);
    expect(ledger.counts('ttft')).toEqual({ good: 1, bad: 0, undecided: 0 });
    expect(ledger.counts('all')).toEqual({ good: 1, bad: 0, undecided: 0 });
  });

  it('of a stream that fails makes a bad request, and the next good one makes up for it', () => {
    const ledger = newLedger();
    ledger.end(running(ledger), BAD);
    expect(ledger.counts('ttft')).toEqual({ good: 1, bad: 1, undecided: 0 });
    ledger.end(running(ledger), GOOD);
    expect(ledger.counts('ttft')).toEqual({ good: 1, bad: 1, undecided: 0 });
    ledger.end(running(ledger), GOOD);
    expect(ledger.counts('ttft')).toEqual({ good: 2, bad: 1, undecided: 0 });
  });

  it('for a client that turns out to be slow is taken back from the next good one', () => {
    const ledger = newLedger();
    ledger.end(running(ledger), NOT_JUDGED);
    ledger.end(running(ledger), GOOD);
    expect(ledger.counts('ttft')).toEqual({ good: 1, bad: 0, undecided: 0 });
  });
});

describe('a first token that is overdue', () => {
  it('makes its request bad while it still waits, and no second time at its end', () => {
    const { clock, waiting, end, counts, told } = newLedger();
    const account = waiting();
    clock.advance(TTFT_MS);
    expect(counts('ttft').bad).toBe(0);
    clock.advance(1);
    expect(counts('ttft')).toEqual({ good: 0, bad: 1, undecided: 0 });
    expect(counts('all')).toEqual({ good: 0, bad: 1, undecided: 0 });
    clock.advance(60_000);
    counts('ttft');
    end(account, BAD);
    expect(counts('ttft')).toEqual({ good: 0, bad: 1, undecided: 0 });
    expect(counts('all')).toEqual({ good: 0, bad: 1, undecided: 0 });
    expect(told.map(({ isGood }) => isGood)).toEqual([false]);
  });

  it('is counted when it comes, though nobody read in between', () => {
    const { clock, waiting, counts } = newLedger();
    const account = waiting();
    clock.advance(TTFT_MS + 1);
    account.phase('decode', clock.nowMs());
    expect(counts('ttft').bad).toBe(1);
  });

  it('is told for the moment at which it became too late', () => {
    const { clock, waiting, counts, told } = newLedger();
    const dueMs = clock.nowMs() + TTFT_MS;
    waiting();
    clock.advance(5_000);
    counts('ttft');
    expect(told).toEqual([{ workload: 'chat', isGood: false, outputTokens: 0, atMs: dueMs }]);
  });

  it('is none where it came in time, where none can be seen, and where the answer is no stream', () => {
    const { clock, waiting, counts } = newLedger();
    const inTime = waiting();
    clock.advance(TTFT_MS);
    inTime.phase('decode', clock.nowMs());
    const unseen = waiting();
    unseen.firstTokenDue(null);
    waiting().phase('unstreamed', clock.nowMs());
    clock.advance(60_000);
    expect(counts('ttft').bad).toBe(0);
  });

  it.each([
    ['was not judged in the end', NOT_JUDGED, { ttft: 0, all: 0 }],
    ['was no stream in the end', UNSTREAMED_BAD, { ttft: 0, all: 1 }],
  ])('of a request that %s: the next bad one is not counted in its stead', (_case, judgement, owed) => {
    const { clock, waiting, end, counts } = newLedger();
    const account = waiting();
    clock.advance(TTFT_MS + 1);
    expect([counts('ttft').bad, counts('all').bad]).toEqual([1, 1]);
    end(account, judgement);
    expect([counts('ttft').bad, counts('all').bad]).toEqual([1, 1]);
    end(waiting(), BAD);
    expect([counts('ttft').bad, counts('all').bad]).toEqual([1 + owed.ttft, 1 + owed.all]);
    end(waiting(), BAD);
    expect([counts('ttft').bad, counts('all').bad]).toEqual([2 + owed.ttft, 2 + owed.all]);
  });

  it('keeps nothing of requests that have ended', () => {
    const { ledger, waiting, end } = newLedger();
    for (let request = 0; request < 1_000; request += 1) end(waiting(), GOOD);
    expect(ledger.waits.size).toBe(0);
  });
});

/** One step of a life: time passes, somebody reads, the token comes, it ends like this. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ kind: fc.constant('read' as const) }),
  fc.record({ kind: fc.constant('open' as const) }),
  fc.record({ kind: fc.constant('token' as const), which: fc.nat() }),
  fc.record({
    kind: fc.constant('end' as const),
    which: fc.nat(),
    judgement: fc.constantFrom(GOOD, BAD, NOT_JUDGED, UNSTREAMED_BAD),
  }),
);

describe('whatever happens in whatever order', () => {
  it('counts never fall, and once nothing waits any more they are the verdicts, but for what is withheld', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { clock, waiting, end, counts } = newLedger();
        const running: LiveAccount[] = [];
        const truth = new Map<Slo, { good: number; bad: number }>(SLOS.map((slo) => [slo, { good: 0, bad: 0 }]));
        const before = new Map(SLOS.map((slo) => [slo, counts(slo)]));
        let missed = 0;
        let spoiled = 0;
        const finish = (account: LiveAccount, judgement: Judgement) => {
          end(account, judgement);
          for (const slo of SLOS) {
            const isGood = judgement.verdicts[slo];
            const sum = truth.get(slo);
            if (sum !== undefined && isGood !== undefined) sum[isGood ? 'good' : 'bad'] += 1;
          }
          if (judgement !== BAD) missed += 1;
          if (judgement !== GOOD) spoiled += 1;
        };
        for (const one of steps) {
          if (one.kind === 'pass') clock.advance(one.ms);
          else if (one.kind === 'open') running.push(waiting());
          else if (one.kind !== 'read' && running.length > 0) {
            const index = one.which % running.length;
            const [account] = one.kind === 'end' ? running.splice(index, 1) : running.slice(index);
            if (account !== undefined && one.kind === 'end') finish(account, one.judgement);
            else account?.phase('decode', clock.nowMs());
          }
          for (const slo of SLOS) {
            const now = counts(slo);
            const last = before.get(slo);
            expect(now.good).toBeGreaterThanOrEqual(last?.good ?? 0);
            expect(now.bad).toBeGreaterThanOrEqual(last?.bad ?? 0);
            before.set(slo, now);
          }
        }
        for (const account of running) finish(account, GOOD);
        for (const [slo, { good, bad }] of truth) {
          const tooGood = counts(slo).good - good;
          expect(tooGood).toBeGreaterThanOrEqual(0);
          expect(tooGood).toBeLessThanOrEqual(slo === 'ttft' ? spoiled : 0);
          const tooMany = counts(slo).bad - bad;
          expect(tooMany).toBeGreaterThanOrEqual(0);
          expect(tooMany).toBeLessThanOrEqual(missed);
          // What was counted too early is withheld: so many later of either verdict, the counts are exact.
        }
        const [bad, good] = [missed, spoiled];
        for (let request = 0; request < bad; request += 1) finish(waiting(), BAD);
        for (let request = 0; request < good; request += 1) finish(waiting(), GOOD);
        expect(counts('ttft')).toEqual({ ...truth.get('ttft'), undecided: 0 });
        expect(counts('all')).toEqual({ ...truth.get('all'), undecided: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
