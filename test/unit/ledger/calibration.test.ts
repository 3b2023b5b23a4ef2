import { describe, expect, it } from 'vitest';
import { Calibration } from '../../../src/ledger/calibration.ts';

describe('calibration', () => {
  it('counts one token per chunk before anything was learned', () => {
    expect(new Calibration().tokens(400, 3)).toBe(3);
  });

  it('goes by characters after the first lesson, even when chunk sizes change', () => {
    const calibration = new Calibration();
    calibration.learn({ visibleTokens: 40, characters: 160, chunks: 10 });
    expect(calibration.tokens(32, 1)).toBeCloseTo(8);
  });

  it('goes by chunks where each holds one token but words differ in length', () => {
    const calibration = new Calibration();
    for (const characters of [300, 700, 400, 900, 250]) {
      calibration.learn({ visibleTokens: 101, characters, chunks: 100 });
    }
    expect(calibration.tokens(9_999, 50)).toBeCloseTo(50);
  });

  it('does not let a counted end token teach that a chunk holds more than one', () => {
    const calibration = new Calibration();
    for (const chunks of [5, 9, 7, 11])
      calibration.learn({ visibleTokens: chunks + 1, characters: chunks * chunks, chunks });
    expect(calibration.tokens(1, 1_000)).toBeCloseTo(1_000);
  });

  it('learns speculative decoding: three to five tokens a chunk, within a tenth after five streams', () => {
    const calibration = new Calibration();
    for (const perChunk of [3, 5, 4, 4.5, 3.5]) {
      const chunks = 80;
      calibration.learn({ visibleTokens: perChunk * chunks, characters: perChunk * chunks * 4.2, chunks });
    }
    const truth = 4 * 100;
    expect(Math.abs(calibration.tokens(truth * 4.2, 100) - truth) / truth).toBeLessThan(0.1);
  });

  it('learns nothing from an answer without visible tokens', () => {
    const calibration = new Calibration();
    calibration.learn({ visibleTokens: 0, characters: 10, chunks: 2 });
    expect(calibration.tokens(10, 2)).toBe(2);
  });
});
