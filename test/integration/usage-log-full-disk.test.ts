import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { ConfiguredUsageLog } from '../../src/usage-log/usage-log.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { usageRecord } from '../helpers/usage-record.ts';

const DISK_BYTES = 64 * 1_024;

/** A disk of 64 KiB in memory; null where this process may not mount one. */
async function smallDisk() {
  const folder = await tempDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder.path], { stdio: 'ignore' });
  } catch {
    await folder[Symbol.asyncDispose]();
    return null;
  }
  return {
    ...folder,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a disk that fills up and is cleared again', () => {
  it('leaves whole lines only, each record once, and every other one counted as dropped', async (test) => {
    await using disk = await smallDisk();
    if (disk === null) return test.skip('needs the right to mount a small disk');
    const path = disk.file('usage.jsonl');
    await writeFile(disk.file('ballast'), Buffer.alloc(DISK_BYTES / 2));
    const counters = { written: 0, dropped: 0 };
    const clock = { ms: 0, nowMs: () => clock.ms, epochMs: () => 0 };
    const errors: string[] = [];
    const quiet = { info: () => {}, warn: () => {}, error: (_fields: object, message: string) => errors.push(message) };
    const log = new ConfiguredUsageLog(
      { path, rotate_bytes: 1_000_000, keep: 1, fsync: 'always' },
      { clock, counters, reporter: quiet, stdoutLine: () => true },
    );

    for (let id = 1; id <= 60; id += 1) log.write(usageRecord({ id: `r-${id}` }));
    await vi.waitFor(() => expect(errors).toHaveLength(1), 10_000);
    clock.ms += 1_000;
    await vi.waitFor(() => expect(counters.written + counters.dropped).toBe(60), 10_000);
    const fitted = counters.written;
    expect(fitted).toBeGreaterThan(10);
    expect(fitted).toBeLessThan(60);

    await rm(disk.file('ballast'));
    for (let id = 61; id <= 70; id += 1) log.write(usageRecord({ id: `r-${id}` }));
    await log.close();
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    const numbers = lines.map((line) => Number(JSON.parse(line).id.slice(2)));
    expect(numbers.slice(0, fitted)).toEqual(Array.from({ length: fitted }, (_, index) => index + 1));
    expect(numbers.slice(fitted)).toEqual([61, 62, 63, 64, 65, 66, 67, 68, 69, 70]);
    expect(counters).toEqual({ written: fitted + 10, dropped: 60 - fitted });
  });
});
