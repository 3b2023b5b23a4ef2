import { describe, expect, it } from 'vitest';
import { maxOpenFiles, memoryLimitBytes } from '../../../src/metrics/process.ts';

describe('the memory limit', () => {
  const GIB = 1_024 ** 3;

  it('is that of the control group where there is one', () => {
    expect(memoryLimitBytes(2 * GIB, 16 * GIB)).toBe(2 * GIB);
  });

  it.each([
    ['no control group', 0],
    ['an unlimited control group of version 2', 2 ** 64],
    ['an unlimited control group of version 1', 0x7ffffffffffff000],
    ['a limit beyond the memory of the machine', 64 * GIB],
  ])('is what the machine has with %s', (_case, constrained) => {
    expect(memoryLimitBytes(constrained, 16 * GIB)).toBe(16 * GIB);
  });

  it('is a number of bytes on this machine', () => {
    expect(memoryLimitBytes()).toBeGreaterThan(64 * 1_024 ** 2);
  });
});

describe('the limit of open files', () => {
  it('is the soft one', () => {
    const limits =
      'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 1048576              files     \n';
    expect(maxOpenFiles(limits)).toBe(1_024);
  });

  it('is absent where there is none', () => {
    expect(maxOpenFiles('Max open files            unlimited            unlimited            files')).toBeNull();
    expect(maxOpenFiles('')).toBeNull();
  });
});
