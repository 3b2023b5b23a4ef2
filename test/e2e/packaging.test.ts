import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, ' ');

function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The JSON list after an instruction of the Dockerfile's last stage. */
function listAfter(instruction: RegExp): string[] {
  const line = DOCKERFILE.slice(DOCKERFILE.lastIndexOf('FROM ')).match(instruction);
  return JSON.parse(line?.[1] ?? 'null');
}

/** Lays out a folder as the image is: the package's own files and what it needs to run, nothing for development. */
function layOut(folder: string): void {
  for (const path of ['package.json', 'LICENSE', 'dist'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  const packages = npm('ls', '--omit=dev', '--all', '--parseable').trim().split('\n').slice(1);
  for (const path of packages.map((absolute) => relative(ROOT, absolute))) {
    const isTopLevel = path.split('node_modules/').length === 2;
    if (isTopLevel) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
}

describe('the image, laid out in a folder', () => {
  it('starts, is found healthy by its own check, and ends with 0 on SIGTERM', async () => {
    await using folder = await tempDir();
    layOut(folder.path);
    const [node, ...entry] = listAfter(/ENTRYPOINT (\[.*\])/);
    const command = listAfter(/\nCMD (\[.*\])/);
    expect(node).toBe('node');
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PITOT_LISTEN: '0.0.0.0:0',
      PITOT_ADMIN: '0.0.0.0:0',
      PITOT_ADMIN_PUBLIC: 'true',
      PITOT_UPSTREAM: 'http://127.0.0.1:9',
    };
    const child = spawn(process.execPath, [...entry, ...command], {
      cwd: folder.path,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await using _child = { [Symbol.asyncDispose]: () => stop(child) };

    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, 'line');
    const ready: { msg: string; admin: string } = JSON.parse(line);
    expect(ready.msg).toBe('listening');
    const [, ...check] = listAfter(/HEALTHCHECK.*? CMD (\[.*\])/);
    execFileSync(process.execPath, check, { env: { ...env, PITOT_ADMIN: ready.admin } });

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(() =>
      execFileSync(process.execPath, check, { env: { ...env, PITOT_ADMIN: ready.admin }, stdio: 'ignore' }),
    ).toThrow();
  });
});
