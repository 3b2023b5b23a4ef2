import { describe, expect, it } from 'vitest';
import { createWorkloadMatcher, type WorkloadRule } from '../../../src/identity/workload.ts';

const rule = (name: string, header: Record<string, string> = {}): WorkloadRule => ({ name, match: { header } });

describe('the workload of a request', () => {
  it('is the first whose headers all have their values', () => {
    const workloadOf = createWorkloadMatcher([
      rule('urgent-batch', { 'x-workload': 'batch', 'x-priority': '1' }),
      rule('batch', { 'x-workload': 'batch' }),
    ]);
    expect(workloadOf({ 'x-workload': 'batch', 'x-priority': '1' })).toBe('urgent-batch');
    expect(workloadOf({ 'x-workload': 'batch', 'x-priority': '2' })).toBe('batch');
    expect(workloadOf({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('is `default` where none takes it', () => {
    expect(createWorkloadMatcher([])({})).toBe('default');
    expect(createWorkloadMatcher([rule('batch', { 'x-workload': 'batch' })])({ 'x-workload': 'Batch' })).toBe(
      'default',
    );
  });

  it('an entry without headers takes every request', () => {
    const workloadOf = createWorkloadMatcher([rule('batch', { 'x-workload': 'batch' }), rule('rest'), rule('never')]);
    expect(workloadOf({})).toBe('rest');
    expect(workloadOf({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('is found whatever the case of the header name in the configuration', () => {
    expect(createWorkloadMatcher([rule('batch', { 'X-Workload': 'batch' })])({ 'x-workload': 'batch' })).toBe('batch');
  });

  it('takes neither a part of a value nor what every object has', () => {
    const workloadOf = createWorkloadMatcher([rule('a', { 'x-a': 'value' }), rule('b', { constructor: 'Object' })]);
    expect(workloadOf({ 'x-a': 'values' })).toBe('default');
    expect(workloadOf({ 'x-a': ['value', 'value'] })).toBe('default');
    expect(workloadOf({})).toBe('default');
  });
});
