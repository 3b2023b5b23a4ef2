import { describe, expect, it } from 'vitest';
import { Calibration } from '../../../src/ledger/calibration.ts';

describe('calibration', () => {
  it('counts one token per chunk before anything was learned', () => {
    expect(new Calibration().tokens(400, { characters: 400, chunks: 1 })).toBe(1);
  });

  it('goes by characters after the first lesson, even when chunk sizes change', () => {
    const calibration = new Calibration();
    calibration.learn({ isReported: true, visibleTokens: 40, characters: 160, chunks: 10 });
    expect(calibration.tokens(32, { characters: 32, chunks: 1 })).toBeCloseTo(8);
  });

  it('goes by chunks where each holds one token but words differ in length', () => {
    const calibration = new Calibration();
    for (const characters of [300, 700, 400, 900, 250]) {
      calibration.learn({ isReported: true, visibleTokens: 101, characters, chunks: 100 });
    }
    expect(calibration.tokens(7, { characters: 250, chunks: 50 })).toBeCloseTo(1);
  });

  it('does not let a counted end token teach that a chunk holds more than one', () => {
    const calibration = new Calibration();
    for (const chunks of [5, 9, 7, 11])
      calibration.learn({ isReported: true, visibleTokens: chunks + 1, characters: chunks * chunks, chunks });
    expect(calibration.tokens(8, { characters: 32, chunks: 4 })).toBeCloseTo(1);
  });

  /** What the live estimate of a stream comes to, chunk by chunk. Tokens have about four characters, as words do. */
  function estimated(calibration: Calibration, chunks: readonly number[]): number {
    const stream = { characters: 0, chunks: 0 };
    let estimate = 0;
    for (const [place, tokens] of chunks.entries()) {
      const characters = charactersOf(tokens, place);
      stream.characters += characters;
      stream.chunks += 1;
      estimate += calibration.tokens(characters, stream);
    }
    return estimate;
  }
  const charactersOf = (tokens: number, place: number) => tokens * 4 + ([2, -1, 0, -2, 1][place % 5] ?? 0);

  it.each([
    [
      '3 to 5 tokens a chunk',
      [
        [3, 5, 4, 3],
        [5, 4],
        [3, 4, 5, 5, 3],
        [4, 4, 3],
        [5, 3, 4, 4],
      ],
      [4, 3, 5, 4, 5, 3, 4, 4],
    ],
    [
      'short answers that end within a chunk',
      [
        [3, 4, 3, 4],
        [3, 4, 3, 4],
        [4, 3, 4, 3],
        [3, 4, 4, 3],
        [3, 3, 4, 4],
      ],
      [3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4],
    ],
    [
      'larger chunks under load',
      [
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
      ],
      Array(60).fill(3),
    ],
    [
      'smaller chunks than before',
      [Array(20).fill(4), Array(25).fill(4), Array(30).fill(4), Array(20).fill(4), Array(20).fill(4)],
      Array(60).fill(3),
    ],
  ])('is within a tenth after five streams: %s', (_what, lessons, then) => {
    const calibration = new Calibration();
    for (const lesson of lessons) {
      const characters = lesson.reduce((sum, tokens, place) => sum + charactersOf(tokens, place), 0);
      calibration.learn({
        isReported: true,
        visibleTokens: lesson.reduce((sum, tokens) => sum + tokens, 0),
        characters,
        chunks: lesson.length,
      });
    }
    const truth = then.reduce((sum: number, tokens: number) => sum + tokens, 0);
    expect(Math.abs(estimated(calibration, then) - truth) / truth).toBeLessThan(0.1);
  });

  it('learns nothing from an answer without visible tokens', () => {
    const calibration = new Calibration();
    calibration.learn({ isReported: true, visibleTokens: 0, characters: 10, chunks: 2 });
    expect(calibration.tokens(10, { characters: 10, chunks: 1 })).toBe(1);
  });

  describe('from counts of our own', () => {
    const local = { visibleTokens: 100, characters: 500, chunks: 25, isReported: false };
    const reported = { visibleTokens: 100, characters: 300, chunks: 100, isReported: true };
    const tokensOf = (calibration: Calibration) => calibration.tokens(30, { characters: 30, chunks: 1 });

    it('is learned as long as the upstream never reported any', () => {
      const calibration = new Calibration();
      calibration.learn(local);
      expect(tokensOf(calibration)).toBeCloseTo(6);
      expect(calibration.tokensOfText(50)).toBeCloseTo(10);
    });

    it('nothing is left once it reports, and nothing more is learned', () => {
      const calibration = new Calibration();
      for (let lesson = 0; lesson < 5; lesson += 1) calibration.learn(local);
      calibration.learn(reported);
      expect(tokensOf(calibration)).toBeCloseTo(10);
      for (let lesson = 0; lesson < 5; lesson += 1) calibration.learn(local);
      expect(tokensOf(calibration)).toBeCloseTo(10);
    });
  });
});
