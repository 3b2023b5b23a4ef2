import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty folder, removed with the test: `await using folder = await tempDir()`. */
export async function tempDir(): Promise<{ path: string; file: (name: string) => string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'pitot-test-'));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
