import { appendFile, copyFile, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { ids, idsIn, parsed, startLog } from '../helpers/usage-log.ts';

const SHARED = {
  level: 'error',
  message: 'another process writes to the usage log: each Pitot needs a file of its own',
};

/** What another program does to the file, and where its first record is then; null: gone with the file. */
const ROTATORS: readonly [string, (path: string) => Promise<string | null>][] = [
  [
    'moves it away',
    async (path) => {
      await rename(path, `${path}-old`);
      return `${path}-old`;
    },
  ],
  [
    'moves it away and puts an empty one there',
    async (path) => {
      await rename(path, `${path}-old`);
      await writeFile(path, '');
      return `${path}-old`;
    },
  ],
  [
    'copies and empties it',
    async (path) => {
      await copyFile(path, `${path}-old`);
      await truncate(path, 0);
      return `${path}-old`;
    },
  ],
  [
    'deletes it',
    async (path) => {
      await rm(path);
      return null;
    },
  ],
];

describe('a usage log whose file another program handles', () => {
  it.each(ROTATORS)('goes on at its path when one %s', async (_what, handle) => {
    await using folder = await tempDir();
    const path = folder.file('log');
    const { log, counters, said, writeIds } = startLog({ path });
    writeIds(1, 1);
    await vi.waitFor(async () => expect(await idsIn(path)).toEqual(['r-1']), 10_000);
    const old = await handle(path);
    writeIds(2, 2);
    await log.close();
    if (old !== null) expect(await idsIn(old)).toEqual(['r-1']);
    expect(await idsIn(path)).toEqual(['r-2']);
    expect(counters).toEqual({ written: 2, dropped: 0 });
    expect(said).toEqual([]);
  });

  it('never glues a record to what another process left unfinished', async () => {
    await using folder = await tempDir();
    const path = folder.file('log');
    const { log, said, writeIds } = startLog({ path });
    writeIds(1, 1);
    await vi.waitFor(async () => expect(await idsIn(path)).toEqual(['r-1']), 10_000);
    await appendFile(path, '{"time":"20');
    writeIds(2, 2);
    await log.close();
    const [first, foreign, second, ...rest] = (await readFile(path, 'utf8')).split('\n');
    expect([first, second].map((line) => JSON.parse(line ?? '').id)).toEqual(['r-1', 'r-2']);
    expect([foreign, rest]).toEqual(['{"time":"20', ['']]);
    expect(said).toEqual([SHARED]);
  });
});

describe('two usage logs in one file', () => {
  it('lose and mix no record, also while one rotates, and say what is wrong once', async () => {
    await using folder = await tempDir();
    const path = folder.file('log');
    // Two rotations at the same moment may cost a file (docs/RELIABILITY.md).
    const [one, two] = [startLog({ path, rotate_bytes: 20_000, keep: 100 }), startLog({ path })];
    for (let round = 0; round < 10; round += 1) {
      one.writeIds(1_000 + 10 * round, 1_009 + 10 * round);
      two.writeIds(2_000 + 10 * round, 2_009 + 10 * round);
      await vi.waitFor(() => {
        expect(one.counters.written).toBe(10 * (round + 1));
        expect(two.counters.written).toBe(10 * (round + 1));
      }, 10_000);
    }
    await Promise.all([one.log.close(), two.log.close()]);
    const names = await readdir(folder.path);
    expect(names.length).toBeGreaterThan(5);
    const texts = await Promise.all(names.map((name) => readFile(folder.file(name), 'utf8')));
    // One that looks while the other's line is half there ends it: a blank line, as src/usage-log/torn-line.ts says.
    const written = texts.flatMap((text) => parsed(text.replace(/\n\n+/g, '\n')).map(({ id }) => id)).sort();
    expect(written).toEqual([...ids(1_000, 1_099), ...ids(2_000, 2_099)]);
    const errors = [one, two].map(({ said }) => said.filter(({ level }) => level === 'error'));
    expect(errors.flat().filter(({ message }) => message !== SHARED.message)).toEqual([]);
    expect(errors.flat().length).toBeGreaterThan(0);
    expect(Math.max(...errors.map(({ length }) => length))).toBe(1);
  });
});

describe('a usage log that is configured anew', () => {
  it('loses nothing on the way to another path and back', async () => {
    await using folder = await tempDir();
    const [a, b] = [folder.file('a'), folder.file('b')];
    const { log, counters, said, writeIds, configure } = startLog({ path: a });
    writeIds(1, 3);
    configure({ path: b });
    writeIds(4, 6);
    configure({ path: a });
    writeIds(7, 9);
    configure({ path: b });
    configure({ path: a });
    writeIds(10, 10);
    await log.close();
    expect(await idsIn(a)).toEqual([...ids(1, 3), ...ids(7, 10)]);
    expect(await idsIn(b)).toEqual(ids(4, 6));
    expect(counters).toEqual({ written: 10, dropped: 0 });
    expect(said).toEqual([]);
  });

  it('stays in its file when only its rules change', async () => {
    await using folder = await tempDir();
    const { log, counters, said, writeIds, configure } = startLog({ path: folder.file('log') });
    writeIds(1, 10);
    await vi.waitFor(() => expect(counters.written).toBe(10), 10_000);
    configure({ path: folder.file('log'), rotate_bytes: 3_000, fsync: 'always' });
    writeIds(11, 12);
    await log.close();
    expect(await idsIn(folder.file('log.1'))).toEqual(ids(1, 10));
    expect((await stat(folder.file('log'))).size).toBeLessThanOrEqual(3_000);
    expect(said).toEqual([]);
  });
});
