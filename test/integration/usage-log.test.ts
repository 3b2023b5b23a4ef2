import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { ids, idsIn, parsed, startLog } from '../helpers/usage-log.ts';
import { usageRecord } from '../helpers/usage-record.ts';

describe('the usage log in a file', () => {
  it('has every record on a line of its own, complete, in the order in which requests ended', async () => {
    await using folder = await tempDir();
    const { log, counters, writeIds } = startLog({ path: folder.file('usage.jsonl') });
    writeIds(1, 2_000);
    await log.close();
    expect(await idsIn(folder.file('usage.jsonl'))).toEqual(ids(1, 2_000));
    expect(parsed(await readFile(folder.file('usage.jsonl'), 'utf8'))[0]).toEqual(usageRecord({ id: 'r-1' }));
    expect(counters).toEqual({ written: 2_000, dropped: 0 });
  });

  it('has a record soon after its request, without being closed', async () => {
    await using folder = await tempDir();
    const { log, writeIds } = startLog({ path: folder.file('usage.jsonl') });
    for (const id of [1, 2]) {
      writeIds(id, id);
      await vi.waitFor(async () => expect(await idsIn(folder.file('usage.jsonl'))).toEqual(ids(1, id)), 10_000);
    }
    await log.close();
  });

  it('is continued by the next process, and is not for everyone to read', async () => {
    await using folder = await tempDir();
    const path = folder.file('usage.jsonl');
    for (const id of [1, 2]) {
      const { log, writeIds } = startLog({ path });
      writeIds(id, id);
      await log.close();
    }
    expect(await idsIn(path)).toEqual(ids(1, 2));
    expect((await stat(path)).mode & 0o007).toBe(0);
  });

  it('begins on a new line after a process that died while it wrote', async () => {
    await using folder = await tempDir();
    const path = folder.file('usage.jsonl');
    const whole = JSON.stringify(usageRecord({ id: 'r-1' }));
    await writeFile(path, `${whole}\n${whole.slice(0, 99)}`);
    const { log, said, writeIds } = startLog({ path });
    writeIds(2, 2);
    await log.close();
    expect(await idsIn(path)).toEqual(ids(1, 2));
    expect(said).toEqual([{ level: 'warn', message: 'the last line of the usage log had no end' }]);
  });

  it.each(['always', 'interval', 'never'] as const)('loses nothing with fsync: %s', async (fsync) => {
    await using folder = await tempDir();
    const { log, counters, writeIds } = startLog({ path: folder.file('usage.jsonl'), fsync });
    writeIds(1, 300);
    await log.close();
    expect(await idsIn(folder.file('usage.jsonl'))).toEqual(ids(1, 300));
    expect(counters).toEqual({ written: 300, dropped: 0 });
  });

  it('counts what comes after the end as dropped', async () => {
    await using folder = await tempDir();
    const { log, counters, writeIds } = startLog({ path: folder.file('usage.jsonl') });
    await log.close();
    writeIds(1, 1);
    expect(counters).toEqual({ written: 0, dropped: 1 });
  });
});

describe('rotation of the usage log', () => {
  it('loses and repeats no record, and no file is larger than it may be', async () => {
    await using folder = await tempDir();
    const rotateBytes = 20_000;
    const { log, counters, writeIds } = startLog({ path: folder.file('log'), rotate_bytes: rotateBytes, keep: 100 });
    writeIds(1, 200);
    await log.close();
    const names = (await readdir(folder.path)).sort(
      (a, b) => Number(b.split('.')[1] ?? 0) - Number(a.split('.')[1] ?? 0),
    );
    expect(names.length).toBeGreaterThan(5);
    expect((await Promise.all(names.map((name) => idsIn(folder.file(name))))).flat()).toEqual(ids(1, 200));
    for (const name of names) expect((await stat(folder.file(name))).size).toBeLessThanOrEqual(rotateBytes);
    expect(counters).toEqual({ written: 200, dropped: 0 });
  });

  it('keeps the newest files only', async () => {
    await using folder = await tempDir();
    const { log, writeIds } = startLog({ path: folder.file('log'), rotate_bytes: 3_000, keep: 2 });
    writeIds(1, 50);
    await log.close();
    expect((await readdir(folder.path)).sort()).toEqual(['log', 'log.1', 'log.2']);
    expect((await idsIn(folder.file('log'))).at(-1)).toBe('r-50');
  });

  it('gives a record that is larger than a whole file a file of its own', async () => {
    await using folder = await tempDir();
    const { log, writeIds } = startLog({ path: folder.file('log'), rotate_bytes: 10, keep: 5 });
    writeIds(1, 3);
    await log.close();
    expect(await idsIn(folder.file('log.2'))).toEqual(['r-1']);
    expect(await idsIn(folder.file('log'))).toEqual(['r-3']);
  });

  it('lets the file grow where it cannot rotate, and says so', async () => {
    await using folder = await tempDir();
    await mkdir(folder.file('log.1'));
    await writeFile(`${folder.file('log.1')}/occupied`, '');
    const { log, counters, said, writeIds } = startLog({ path: folder.file('log'), rotate_bytes: 3_000, keep: 1 });
    writeIds(1, 20);
    await log.close();
    expect(await idsIn(folder.file('log'))).toEqual(ids(1, 20));
    expect(counters).toEqual({ written: 20, dropped: 0 });
    expect(said).toEqual([{ level: 'error', message: 'the usage log cannot be rotated: it grows' }]);
  });
});

describe('a usage log that cannot be written', () => {
  const FAILING: readonly [string, (folder: string) => string][] = [
    ['a full disk', () => '/dev/full'],
    ['a folder that is missing', (folder) => `${folder}/missing/usage.jsonl`],
    ['a path that is a folder', (folder) => folder],
    ['a path through a file', () => '/dev/null/usage.jsonl'],
  ];

  it.each(FAILING)('counts its records as dropped and says so once: %s', async (_name, pathIn) => {
    await using folder = await tempDir();
    const { log, counters, said, writeIds, clock } = startLog({ path: pathIn(folder.path) });
    writeIds(1, 10);
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    clock.ms += 1_000;
    await vi.waitFor(() => expect(counters.dropped).toBe(10), 10_000);
    writeIds(11, 12);
    await vi.waitFor(() => expect(counters.dropped).toBe(12), 10_000);
    await log.close();
    expect(counters.written).toBe(0);
    expect(said).toEqual([
      { level: 'error', message: 'the usage log cannot be written: records are dropped until it can' },
      { level: 'error', message: 'the usage log is closed, and records are missing in it' },
    ]);
  });

  it('is written again, with what was queued in the first second, once the path can be', async () => {
    await using folder = await tempDir();
    const { log, counters, said, writeIds } = startLog({ path: folder.file('later/usage.jsonl') });
    writeIds(1, 3);
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    await mkdir(folder.file('later'));
    await log.close();
    expect(await idsIn(folder.file('later/usage.jsonl'))).toEqual(ids(1, 3));
    expect(counters).toEqual({ written: 3, dropped: 0 });
    expect(said.at(-1)).toEqual({ level: 'warn', message: 'the usage log is written again' });
  });

  it('counts what is still queued as dropped when it is closed', async () => {
    const { log, counters, writeIds } = startLog({ path: '/dev/full' });
    writeIds(1, 4);
    await log.close();
    expect(counters).toEqual({ written: 0, dropped: 4 });
  });
});

describe('a usage log elsewhere', () => {
  it('on standard output is a bare record a line, and a line that its reader made us drop is counted', async () => {
    const { log, counters, stdout, writeIds } = startLog({ path: '-' });
    writeIds(1, 3);
    await log.close();
    expect(JSON.parse(stdout[0] ?? '')).toEqual(usageRecord({ id: 'r-1' }));
    expect(stdout[0]).not.toContain('"msg"');
    expect(counters).toEqual({ written: 2, dropped: 1 });
  });

  it('is nowhere without a path, and nothing counts as lost', async () => {
    const { log, counters, writeIds } = startLog({ path: null });
    writeIds(1, 3);
    await log.close();
    expect(counters).toEqual({ written: 0, dropped: 0 });
  });
});
