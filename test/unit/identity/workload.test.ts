import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../../src/identity/headers.ts';
import { createWorkloadMatcher, type WorkloadRule, type WorkloadSlo } from '../../../src/identity/workload.ts';

const NO_SLO: WorkloadSlo = { ttft: null, tpot: null, speed: null, gap: null, e2e: null };

const rule = (name: string, header: Record<string, string> = {}, more: Partial<WorkloadRule> = {}): WorkloadRule => ({
  name,
  match: { header },
  slo: NO_SLO,
  slo_override: false,
  ...more,
});

const nameBy = (rules: WorkloadRule[]) => {
  const workloadOf = createWorkloadMatcher(rules);
  return (headers: Headers) => workloadOf(headers).name;
};

describe('the workload of a request', () => {
  it('is the first whose headers all have their values', () => {
    const nameOf = nameBy([
      rule('urgent-batch', { 'x-workload': 'batch', 'x-priority': '1' }),
      rule('batch', { 'x-workload': 'batch' }),
    ]);
    expect(nameOf({ 'x-workload': 'batch', 'x-priority': '1' })).toBe('urgent-batch');
    expect(nameOf({ 'x-workload': 'batch', 'x-priority': '2' })).toBe('batch');
    expect(nameOf({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('is `default` where none takes it', () => {
    expect(nameBy([])({})).toBe('default');
    expect(nameBy([rule('batch', { 'x-workload': 'batch' })])({ 'x-workload': 'Batch' })).toBe('default');
  });

  it('an entry without headers takes every request', () => {
    const nameOf = nameBy([rule('batch', { 'x-workload': 'batch' }), rule('rest'), rule('never')]);
    expect(nameOf({})).toBe('rest');
    expect(nameOf({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('is found whatever the case of the header name in the configuration', () => {
    expect(nameBy([rule('batch', { 'X-Workload': 'batch' })])({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('takes neither a part of a value nor what every object has', () => {
    const nameOf = nameBy([rule('a', { 'x-a': 'value' }), rule('b', { constructor: 'Object' })]);
    expect(nameOf({ 'x-a': 'values' })).toBe('default');
    expect(nameOf({ 'x-a': ['value', 'value'] })).toBe('default');
    expect(nameOf({})).toBe('default');
  });
});

describe('the targets of a request', () => {
  const targetsBy =
    (slo: Partial<WorkloadSlo>, slo_override = false) =>
    (headers: Headers = {}) =>
      createWorkloadMatcher([rule('w', {}, { slo: { ...NO_SLO, ...slo }, slo_override })])(headers).targets;

  it('are those of its workload, and none where it has none', () => {
    expect(targetsBy({ ttft: 500 })()).toEqual({ ...NO_SLO, ttft: 500 });
    expect(targetsBy({})()).toBeNull();
    expect(createWorkloadMatcher([])({}).targets).toBeNull();
  });

  it('are not the request’s own where the workload does not allow it', () => {
    expect(targetsBy({ ttft: 500 })({ 'x-slo-ttft-ms': '100' })).toEqual({ ...NO_SLO, ttft: 500 });
  });

  it('are the request’s own where the workload allows it, one by one', () => {
    const targetsOf = targetsBy({ ttft: 500, tpot: 50, gap: 900 }, true);
    expect(targetsOf()).toEqual({ ...NO_SLO, ttft: 500, tpot: 50, gap: 900 });
    expect(targetsOf({ 'x-slo-ttft-ms': '100' })).toEqual({ ...NO_SLO, ttft: 100, tpot: 50, gap: 900 });
    expect(targetsOf({ 'x-slo-tpot-ms': ' 12.5 ' })).toEqual({ ...NO_SLO, ttft: 500, tpot: 12.5, gap: 900 });
  });

  it('can be the request’s own alone', () => {
    expect(targetsBy({}, true)()).toBeNull();
    expect(targetsBy({}, true)({ 'x-slo-tpot-ms': '40' })).toEqual({ ...NO_SLO, tpot: 40 });
  });

  it('say a time per token as a speed where the workload names a speed: one SLO stays one', () => {
    const targetsOf = targetsBy({ speed: 20 }, true);
    expect(targetsOf({ 'x-slo-tpot-ms': '40' })).toEqual({ ...NO_SLO, speed: 25 });
    // 1000 / 30 is told as 33.333 in a record: who keeps 30 ms keeps the speed.
    expect(targetsOf({ 'x-slo-tpot-ms': '30' })).toEqual({ ...NO_SLO, speed: 33.333 });
  });

  it.each([
    '0',
    '0.0',
    '-5',
    '+5',
    '',
    ' ',
    'abc',
    '5ms',
    '1e3',
    'NaN',
    'Infinity',
    '5,5',
    '0x10',
    '.5',
    '5.',
    '9'.repeat(400),
  ])('ignore %j, which is no positive number', (text) => {
    const headers = { 'x-slo-ttft-ms': text, 'x-slo-tpot-ms': text };
    expect(targetsBy({ ttft: 500, tpot: 50 }, true)(headers)).toEqual({ ...NO_SLO, ttft: 500, tpot: 50 });
  });

  it('ignore a header that came twice', () => {
    expect(targetsBy({ ttft: 500 }, true)({ 'x-slo-ttft-ms': ['100', '200'] })).toEqual({ ...NO_SLO, ttft: 500 });
  });

  it('are positive numbers or none, whatever the headers hold', () => {
    const targetsOf = targetsBy({ ttft: 500, speed: 20 }, true);
    fc.assert(
      fc.property(fc.string(), fc.string(), (ttft, tpot) => {
        const targets = targetsOf({ 'x-slo-ttft-ms': ttft, 'x-slo-tpot-ms': tpot });
        expect(targets?.ttft).toBeGreaterThan(0);
        expect(targets?.tpot).toBeNull();
        expect(Number.isFinite(targets?.speed)).toBe(true);
      }),
    );
  });
});
