import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActivityFactory } from '../../../src/ledger/activity.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import { Throughput } from '../../../src/live/throughput.ts';
import type { Settlement } from '../../../src/meter/live-account.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const silent = { tokens() {}, spread() {}, worked() {}, phase() {} };

function newLedger(
  caps: { maxLabelSets?: number; maxModels?: number } = {},
  activityOf: ActivityFactory = () => silent,
) {
  const clock = new ManualClock();
  const ledger = new Ledger({
    clock,
    maxLabelSets: caps.maxLabelSets ?? 200,
    maxModels: caps.maxModels ?? 100,
    activityOf,
  });
  return { clock, ledger };
}

function settled(outputTokens: number | null, lesson: Settlement['lesson'] = null): Settlement {
  return { outputTokens, lesson, wasReported: null, fromMs: 0, toMs: 0 };
}

function stream(ledger: Ledger, model = 'm', workload = 'default') {
  const account = ledger.open('u', workload, 'openai.chat');
  account.requested(model);
  account.confirmModel(model);
  return account;
}

function totals(ledger: Ledger) {
  let counted = 0;
  let withheld = 0;
  for (const series of ledger.series()) {
    counted += series.outputTokens;
    withheld += series.withheld;
  }
  return { counted, withheld };
}

describe('the live counter', () => {
  it('moves while a stream runs, one token per chunk before anything was learned', () => {
    const { ledger } = newLedger();
    const account = stream(ledger);
    for (let chunk = 0; chunk < 10; chunk += 1) account.emitted(4, null, 0);
    expect(totals(ledger).counted).toBe(9);
    account.settle(settled(10));
    expect(totals(ledger)).toEqual({ counted: 10, withheld: 0 });
  });

  it('follows a running count exactly, whatever the chunks hold', () => {
    const { ledger } = newLedger();
    const account = stream(ledger);
    account.emitted(10, 4, 0);
    account.emitted(10, 9, 0);
    expect(totals(ledger).counted).toBe(9);
  });

  it('goes on by estimate from a running count that stops growing', () => {
    const { ledger } = newLedger();
    const account = stream(ledger);
    account.emitted(4, 7, 0);
    for (let chunk = 0; chunk < 5; chunk += 1) account.emitted(4, 7, 0);
    expect(account.estimate()).toBe(12);
  });

  it('uses tokens per character once a finished stream has taught them', () => {
    const { ledger } = newLedger();
    stream(ledger).settle(settled(100, { visibleTokens: 100, characters: 400, chunks: 10, isReported: true }));
    const account = stream(ledger);
    account.emitted(400, null, 0);
    expect(account.estimate()).toBeCloseTo(100);
  });

  it('takes back what was counted for a request that ends with no count', () => {
    const { ledger } = newLedger();
    const account = stream(ledger);
    for (let chunk = 0; chunk < 5; chunk += 1) account.emitted(4, null, 0);
    account.settle(settled(null));
    expect(totals(ledger)).toEqual({ counted: 4, withheld: 4 });
    stream(ledger).settle(settled(3));
    expect(totals(ledger)).toEqual({ counted: 4, withheld: 1 });
  });

  it('never falls, and less what is withheld equals the sum of final counts whenever nothing runs', () => {
    const step = fc.record({
      stream: fc.nat(5),
      kind: fc.constantFrom('chunk', 'running', 'end', 'none'),
      amount: fc.nat(60),
      workload: fc.constantFrom('chat', 'batch'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { ledger } = newLedger();
        const open = new Map<number, ReturnType<typeof stream>>();
        let finals = 0;
        let before = 0;
        for (const { stream: id, kind, amount, workload } of steps) {
          const account = open.get(id) ?? stream(ledger, 'm', workload);
          open.set(id, account);
          if (kind === 'chunk') account.emitted(amount, null, 0);
          else if (kind === 'running') account.emitted(amount, amount, 0);
          else {
            const final = kind === 'end' ? amount : null;
            finals += final ?? 0;
            account.settle(
              settled(
                final,
                final === null
                  ? null
                  : { visibleTokens: final, characters: amount * 3, chunks: 4, isReported: amount % 2 === 0 },
              ),
            );
            open.delete(id);
          }
          const { counted } = totals(ledger);
          expect(counted).toBeGreaterThanOrEqual(before);
          before = counted;
        }
        for (const account of open.values()) account.settle(settled(0));
        const { counted, withheld } = totals(ledger);
        expect(counted - withheld).toBe(finals);
      }),
    );
  });
});

describe('label sets', () => {
  it('a name that no answer confirmed stays unknown', () => {
    const { ledger } = newLedger();
    const account = ledger.open('u', 'default', 'openai.chat');
    account.requested('made-up');
    expect(account.labels.model).toBe('unknown');
  });

  it('a confirmed name stands for the name its answer carried, from the next request on', () => {
    const { ledger } = newLedger();
    const first = ledger.open('u', 'default', 'openai.chat');
    first.requested('gpt');
    first.confirmModel('gpt-2026');
    const second = ledger.open('u', 'default', 'openai.chat');
    second.requested('gpt');
    expect([first.labels.model, second.labels.model]).toEqual(['gpt-2026', 'gpt-2026']);
  });

  it('a confirmed name stands for itself where the answer carried none', () => {
    const { ledger } = newLedger();
    const account = ledger.open('u', 'default', 'openai.chat');
    account.requested('mine');
    account.confirmModel(null);
    expect(account.labels.model).toBe('mine');
  });

  it('past the cap of models the name is other, and it is counted', () => {
    const { ledger } = newLedger({ maxModels: 2 });
    const labels = ['a', 'b', 'c', 'd'].map((name) => stream(ledger, name).labels.model);
    expect(labels).toEqual(['a', 'b', 'other', 'other']);
    expect(ledger.overflow.model).toBe(2);
  });

  it('past the cap of label sets the model is other, and it is counted', () => {
    // `unknown` and `other` are sets too.
    const { ledger } = newLedger({ maxLabelSets: 4 });
    const labels = ['a', 'b', 'c'].map((name) => stream(ledger, name).labels.model);
    expect(labels).toEqual(['a', 'b', 'other']);
    expect(ledger.overflow.label_set).toBeGreaterThan(0);
    expect([...ledger.series()]).toHaveLength(4);
  });

  it('are never more than the cap, in whatever order models and workloads come, unless the configuration alone has more', () => {
    const workloads = ['w0', 'w1', 'w2'];
    const request = fc.record({ model: fc.nat(20), workload: fc.constantFrom(...workloads) });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (requests, cap) => {
        const { ledger } = newLedger({ maxLabelSets: cap, maxModels: 15 });
        for (const workload of workloads) ledger.open('u', workload, 'openai.chat');
        for (const { model, workload } of requests) stream(ledger, `m${model}`, workload);
        expect([...ledger.series()].length).toBeLessThanOrEqual(Math.max(cap, 2 * workloads.length));
      }),
    );
  });

  it('a request in flight moves with its name: no gauge is left behind', () => {
    const { clock, ledger } = newLedger();
    const account = ledger.open('u', 'default', 'openai.chat');
    account.requested('m');
    account.phase('prefill', clock.nowMs());
    clock.advance(2_000);
    account.confirmModel('m');
    account.phase('decode', clock.nowMs());
    clock.advance(3_000);
    account.phase(null, clock.nowMs());
    const seen = [...ledger.series()].map((series) => ({
      model: series.labels.model,
      inFlight: series.inFlight,
      prefill: series.phaseSeconds('prefill', clock.nowMs()),
      decode: series.phaseSeconds('decode', clock.nowMs()),
    }));
    const none = { prefill: 0, decode: 0, unstreamed: 0 };
    expect(seen).toEqual([
      { model: 'unknown', inFlight: none, prefill: 2, decode: 0 },
      { model: 'm', inFlight: none, prefill: 0, decode: 3 },
    ]);
  });

  it('time in which an answer was not yet known to be of a model counts as that model’s, once it is', () => {
    const clock = new ManualClock();
    const throughput = new Throughput();
    const activityOf = (upstream: string, model: string) => throughput.windowOf(upstream, model);
    const ledger = new Ledger({ clock, maxLabelSets: 10, maxModels: 10, activityOf });
    const account = ledger.open('u', 'default', 'openai.chat');
    const startMs = clock.nowMs();
    account.phase('unstreamed', startMs);
    clock.advance(4_000);
    account.confirmModel('served');
    account.settle({ ...settled(400), fromMs: startMs, toMs: clock.nowMs() });
    account.phase(null, clock.nowMs());
    clock.advance(1_000);
    const active = [...throughput.readings(clock.nowMs())].filter(
      ({ mode, windowSeconds }) => mode === 'active' && windowSeconds === 10,
    );
    expect(active.map(({ model, tokensPerSecond }) => [model, tokensPerSecond])).toEqual([
      ['unknown', null],
      ['served', 100],
    ]);
  });

  it('concurrency at the start counts every generation on the upstream, this one included', () => {
    const { clock, ledger } = newLedger();
    const first = stream(ledger, 'a');
    first.phase('prefill', clock.nowMs());
    const second = stream(ledger, 'b', 'batch');
    second.phase('unstreamed', clock.nowMs());
    first.phase('decode', clock.nowMs());
    first.phase(null, clock.nowMs());
    const third = stream(ledger, 'a');
    third.phase('prefill', clock.nowMs());
    expect([first, second, third].map((account) => account.concurrencyAtStart)).toEqual([1, 2, 2]);
  });
});

describe('the activity of a model', () => {
  it.each([
    ['tgi', null],
    ['named', 'named'],
  ])('begins when an answer confirms it, whether or not anybody names one (%s)', (_, model) => {
    const throughput = new Throughput();
    const { clock, ledger } = newLedger({}, (upstream, name) => throughput.windowOf(upstream, name));
    const account = ledger.open('u', 'default', 'tgi.generate');
    account.requested(null);
    account.phase('prefill', clock.nowMs());
    const unknown = throughput.windowOf('u', 'unknown');
    expect(unknown.isUsed).toBe(false);
    account.confirmModel(model);
    account.phase('decode', clock.nowMs());
    clock.advance(5_000);
    account.phase(null, clock.nowMs());
    clock.advance(5_000);
    const window = throughput.windowOf('u', model ?? 'unknown');
    expect(window.activeSecondsOver(10, clock.nowMs())).toBeCloseTo(5);
    expect(unknown.isUsed).toBe(model === null);
  });
});
