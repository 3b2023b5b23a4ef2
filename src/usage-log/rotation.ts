import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/**
 * Moves `path` to `path.1`, `path.1` to `path.2` and so on up to the first number that is free; where none
 * is, `path.keep` is overwritten. The oldest moves first, so that a crash in the middle leaves a gap in
 * the numbers and loses no file. A missing file is no error.
 */
export async function rotate(path: string, keep: number): Promise<void> {
  if (keep === 0) {
    await rm(path, { force: true });
    return;
  }
  // Every move costs a turn of an event loop that may be busy, and records wait meanwhile: none is tried in vain.
  const names = new Set(await readdir(dirname(path)));
  let free = 1;
  while (free < keep && names.has(`${basename(path)}.${free}`)) free += 1;
  for (let number = free - 1; number >= 1; number -= 1) {
    await renameIfPresent(`${path}.${number}`, `${path}.${number + 1}`);
  }
  await renameIfPresent(path, `${path}.1`);
}

async function renameIfPresent(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
