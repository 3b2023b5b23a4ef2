/** Durations and sizes as people write them. Inside, one unit each: milliseconds and bytes. */

const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const BYTES_PER: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** The longest duration: Node's timers wrap round to 1 ms above it (24.8 days). */
export const MAX_DURATION_MS = 2 ** 31 - 1;

export const DURATION_PATTERN = '^(0|[0-9]+([.][0-9]+)?(ms|s|m|h))$';
export const SIZE_PATTERN = '^(0|[0-9]+([.][0-9]+)?(B|KiB|MiB|GiB|TiB))$';

/**
 * `10s`, `50ms`, `1.5h` or `0` in milliseconds, to the microsecond.
 * Null for any other text, for a duration above `MAX_DURATION_MS`, and for one that is not 0 but would round to it.
 */
export function parseDurationMs(text: string): number | null {
  if (text === '0') return 0;
  const found = /^([0-9]+(?:[.][0-9]+)?)(ms|s|m|h)$/.exec(text);
  const unitMs = MS_PER[found?.[2] ?? ''];
  if (found === null || unitMs === undefined) return null;
  const amount = Number(found[1]);
  const ms = Math.round(amount * unitMs * 1_000) / 1_000;
  return ms <= MAX_DURATION_MS && (ms > 0 || amount === 0) ? ms : null;
}

/** The shortest exact text: the largest unit in which the duration is a whole number. `parseDurationMs` reads it back. */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's']) {
    const unitMs = MS_PER[unit] ?? 1;
    if (ms >= unitMs && ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  }
  return ms === 0 ? '0s' : `${ms}ms`;
}

/** `64KiB`, `1.5MiB`, `512B` or `0` in bytes; null for any other text and for a size that is no whole number of bytes. */
export function parseSizeBytes(text: string): number | null {
  if (text === '0') return 0;
  const found = /^([0-9]+(?:[.][0-9]+)?)(B|KiB|MiB|GiB|TiB)$/.exec(text);
  const unitBytes = BYTES_PER[found?.[2] ?? ''];
  if (found === null || unitBytes === undefined) return null;
  const bytes = Number(found[1]) * unitBytes;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** The shortest exact text: the largest unit in which the size is a whole number. `parseSizeBytes` reads it back. */
export function formatSize(bytes: number): string {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB']) {
    const unitBytes = BYTES_PER[unit] ?? 1;
    if (bytes >= unitBytes && bytes % unitBytes === 0) return `${bytes / unitBytes}${unit}`;
  }
  return `${bytes}B`;
}
