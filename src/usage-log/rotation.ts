import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/**
 * Moves `path` to `path.1`, `path.1` to `path.2` and so on up to the first number that is free; where none
 * is, `path.keep` is deleted. A missing file is no error.
 *
 * Another process may rotate the same file at the same time. So nothing is ever moved onto a name that may
 * be taken: a file gets a name that nobody else has, by which it is ours alone, and from there a number
 * that is free. A crash in between leaves it under that name, `path.moving-…`, and loses no record.
 */
export async function rotate(path: string, keep: number): Promise<void> {
  if (keep === 0) {
    await rm(path, { force: true });
    return;
  }
  // Before anything is moved: where this fails, all stays as it was.
  if (await isFull(path, keep)) await rm(`${path}.${keep}`, { force: true });
  let moving = await claim(path, path);
  for (let number = 1; moving !== null; number += 1) {
    if (number > keep) {
      await rm(moving);
      return;
    }
    moving = await place(moving, path, number);
  }
}

/** No number is free. */
async function isFull(path: string, keep: number): Promise<boolean> {
  const names = new Set(await readdir(dirname(path)));
  for (let number = 1; number <= keep; number += 1) {
    if (!names.has(`${basename(path)}.${number}`)) return false;
  }
  return true;
}

/** Null when the file is not there (any more). */
async function claim(name: string, path: string): Promise<string | null> {
  const own = `${path}.moving-${randomUUID()}`;
  try {
    await rename(name, own);
    return own;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Gives the number to `moving`, and back what had it before: that is to be moved on. */
async function place(moving: string, path: string, number: number): Promise<string | null> {
  const name = `${path}.${number}`;
  let former: string | null = null;
  while (!(await placeIfFree(moving, name))) {
    // A third one came between: both have to go on.
    if (former !== null) await pushBack(former, path, number + 1);
    former = await claim(name, path);
  }
  return former;
}

async function pushBack(former: string, path: string, number: number): Promise<void> {
  for (let at = number; !(await placeIfFree(former, `${path}.${at}`)); at += 1);
}

async function placeIfFree(moving: string, name: string): Promise<boolean> {
  try {
    await link(moving, name);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A file system without hard links. There a second process has to stay away.
    await rename(moving, name);
    return true;
  }
  await rm(moving);
  return true;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
