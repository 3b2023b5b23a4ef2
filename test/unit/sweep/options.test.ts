import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../scripts/sweep/options.ts';

const ENGINE = { PITOT_TEST_ENGINE_URL: 'http://127.0.0.1:8000', PITOT_TEST_ENGINE_MODEL: 'tiny' };

describe('the options of a sweep', () => {
  it('need an engine and its model, from flags or the environment', () => {
    expect(readOptions([], ENGINE)).toMatchObject({
      engine: 'http://127.0.0.1:8000',
      model: 'tiny',
      concurrencies: [1, 2, 4, 8, 16],
      seconds: 60,
      input: { mean: 128, deviation: 32 },
    });
    expect(readOptions(['--model', 'other'], ENGINE).model).toBe('other');
    expect(() => readOptions([], {})).toThrow('--engine and --model');
    expect(readOptions(['--help'], {}).help).toBe(true);
  });

  it('that make no sense are refused in one sentence', () => {
    expect(() => readOptions(['--concurrency', '1,0'], ENGINE)).toThrow('--concurrency wants whole numbers');
    expect(() => readOptions(['--output', '64'], ENGINE)).toThrow('--output wants MEAN±DEV, got "64".');
  });
});
