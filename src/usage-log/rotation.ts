import { rename, rm } from 'node:fs/promises';

/**
 * Moves `path` to `path.1`, `path.1` to `path.2` and so on; the file that would become `path.(keep + 1)`
 * is deleted. The oldest moves first, so that a crash in the middle leaves a gap in the numbers and
 * loses no file. A missing file is no error.
 */
export async function rotate(path: string, keep: number): Promise<void> {
  if (keep === 0) {
    await rm(path, { force: true });
    return;
  }
  for (let number = keep - 1; number >= 1; number -= 1) {
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
