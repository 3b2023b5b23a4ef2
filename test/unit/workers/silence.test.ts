import { describe, expect, it } from 'vitest';
import { LOOKS_UNTIL_DEAD, LOOKS_UNTIL_SILENT } from '../../../src/workers/pace.ts';
import { Silence } from '../../../src/workers/silence.ts';

const looks = (silence: Silence, count: number) => Array.from({ length: count }, () => silence.look());

describe('the silence of a worker', () => {
  it('begins after so many looks in vain, and is deadly after more, each said once', () => {
    const found = looks(new Silence(), 2 * LOOKS_UNTIL_DEAD);
    expect(found.indexOf('began')).toBe(LOOKS_UNTIL_SILENT - 1);
    expect(found.indexOf('dead')).toBe(LOOKS_UNTIL_DEAD - 1);
    expect(found.filter((one) => one === 'began' || one === 'dead')).toHaveLength(2);
  });

  it('ends with the next word', () => {
    const silence = new Silence();
    expect(silence.heard()).toBe(false);
    looks(silence, LOOKS_UNTIL_SILENT);
    expect(silence.isSilent).toBe(true);
    expect(silence.heard()).toBe(true);
    expect(silence.isSilent).toBe(false);
    expect(looks(silence, LOOKS_UNTIL_SILENT - 1)).not.toContain('began');
  });
});
