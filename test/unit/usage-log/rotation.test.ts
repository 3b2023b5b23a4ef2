import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { rotate } from '../../../src/usage-log/rotation.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

/** Writes the named files, each holding its own name, rotates, and gives back name → content. */
async function rotated(keep: number, names: readonly string[]): Promise<Record<string, string>> {
  await using folder = await tempDir();
  for (const name of names) await writeFile(folder.file(name), name);
  await rotate(folder.file('log'), keep);
  const left = await readdir(folder.path);
  return Object.fromEntries(
    await Promise.all(left.map(async (name) => [name, await readFile(folder.file(name), 'utf8')])),
  );
}

describe('rotation', () => {
  it('moves every file up by one and deletes the oldest', async () => {
    expect(await rotated(3, ['log', 'log.1', 'log.2', 'log.3'])).toEqual({
      'log.1': 'log',
      'log.2': 'log.1',
      'log.3': 'log.2',
    });
  });

  it('begins with no older file', async () => {
    expect(await rotated(3, ['log'])).toEqual({ 'log.1': 'log' });
  });

  it('fills a gap that a crash left in the numbers, and moves nothing beyond it', async () => {
    expect(await rotated(3, ['log', 'log.2'])).toEqual({ 'log.1': 'log', 'log.2': 'log.2' });
    expect(await rotated(5, ['log', 'log.1', 'log.3', 'log.5'])).toEqual({
      'log.1': 'log',
      'log.2': 'log.1',
      'log.3': 'log.3',
      'log.5': 'log.5',
    });
  });

  it('keeps no old file when none is to be kept, and touches no other', async () => {
    expect(await rotated(0, ['log', 'log.1', 'logbook'])).toEqual({ 'log.1': 'log.1', logbook: 'logbook' });
  });
});
