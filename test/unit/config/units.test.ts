import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatSize,
  MAX_DURATION_MS,
  parseDurationMs,
  parseSizeBytes,
} from '../../../src/config/units.ts';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['50ms', 50],
    ['0.5ms', 0.5],
    ['10s', 10_000],
    ['1.5s', 1_500],
    ['0.07s', 70],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['0.25h', 900_000],
    ['2147483647ms', MAX_DURATION_MS],
  ])('%s is read in milliseconds', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', ' ', '10', '1', '-1s', '+1s', '10 s', '10S', '1d', '1us', '.5s', '5.s', '1e3s', '1h30m', 's', '0.0.1s'])(
    '%j is none: a number without its unit could mean anything',
    (text) => {
      expect(parseDurationMs(text)).toBeNull();
    },
  );

  it('is refused above what a timer of Node can hold: it would fire at once', () => {
    expect(parseDurationMs('2147483648ms')).toBeNull();
    expect(parseDurationMs('25h')).toBe(90_000_000);
    expect(parseDurationMs('600h')).toBeNull();
    expect(parseDurationMs(`${'9'.repeat(400)}h`)).toBeNull();
  });

  it('is refused where it would round to 0, which means none', () => {
    expect(parseDurationMs('0.0001ms')).toBeNull();
    expect(parseDurationMs('0.0000ms')).toBe(0);
  });

  it('is printed in the largest unit that is exact', () => {
    expect([0, 1, 999, 1_000, 1_500, 60_000, 90_000, 3_600_000, 0.5].map(formatDuration)).toEqual([
      '0s',
      '1ms',
      '999ms',
      '1s',
      '1500ms',
      '1m',
      '90s',
      '1h',
      '0.5ms',
    ]);
  });

  it('reads back as it was printed', () => {
    const microseconds = fc.integer({ min: 0, max: MAX_DURATION_MS * 1_000 });
    fc.assert(fc.property(microseconds, (us) => parseDurationMs(formatDuration(us / 1_000)) === us / 1_000));
  });
});

describe('a size', () => {
  it.each([
    ['0', 0],
    ['4096B', 4_096],
    ['64KiB', 65_536],
    ['1.5MiB', 1_572_864],
    ['100MiB', 104_857_600],
    ['2GiB', 2 ** 31],
    ['1TiB', 2 ** 40],
  ])('%s is read in bytes', (text, bytes) => {
    expect(parseSizeBytes(text)).toBe(bytes);
  });

  it.each(['', '1', '1MB', '1M', '1mib', '1 MiB', '-1MiB', '0.3B', '0.0001KiB', `${'9'.repeat(30)}TiB`])(
    '%j is none: decimal and binary units are not mixed up, and bytes are whole',
    (text) => {
      expect(parseSizeBytes(text)).toBeNull();
    },
  );

  it('reads back as it was printed', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (bytes) => parseSizeBytes(formatSize(bytes)) === bytes));
  });
});
