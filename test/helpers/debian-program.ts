import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** Whether these programs of Debian are here; without them the suites that need them say so and are skipped. */
export function haveAll(paths: readonly string[]): boolean {
  return paths.every((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** How a program ended, and all it said. */
export function outputOf(program: string, args: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { code: status, output: `${stdout}${stderr}` };
}
