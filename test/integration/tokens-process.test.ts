import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** A program that counts, never closes its counter, and should end all the same. */
const program = (counter: string): string => `
  import { createTokenCounter } from ${JSON.stringify(counter)};
  const clock = { nowMs: () => performance.now(), epochMs: () => Date.now() };
  const onFault = (cause) => console.error(cause);
  const counter = createTokenCounter({ budgetMs: 60_000, answerWithinMs: 20_000, clock, onFault });
  const output = [{ choice: 0, channel: 'content', text: 'one two three' }];
  counter.count({ model: 'gpt-4o', output, input: null }).then((result) => console.log(result?.outputTokens));
`;

describe('a process with a counter', () => {
  it('counts from sources under tsx, waits for what it asked, and is not kept alive by an idle thread', async () => {
    const code = program(join(ROOT, 'src/tokens/counter.ts'));
    const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: ROOT, timeout: 20_000 });
    expect({ stdout, stderr }).toEqual({ stdout: '3\n', stderr: '' });
  });

  it('counts as compiled, with nothing but Node', async () => {
    await using folder = await tempDir();
    await writeFile(folder.file('package.json'), '{"type":"module"}');
    await symlink(join(ROOT, 'node_modules'), folder.file('node_modules'));
    const config = { extends: join(ROOT, 'tsconfig.json'), files: ['counter.ts', 'worker.ts'].map(sourceOf) };
    const compilerOptions = { noEmit: false, outDir: folder.file('dist'), rootDir: join(ROOT, 'src') };
    const typeRoots = [join(ROOT, 'node_modules/@types')];
    await writeFile(
      folder.file('tsconfig.json'),
      JSON.stringify({ ...config, include: [], compilerOptions: { ...compilerOptions, typeRoots } }),
    );
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder.path]);
    await writeFile(folder.file('main.js'), program('./dist/tokens/counter.js'));
    const { stdout, stderr } = await run(process.execPath, [folder.file('main.js')], { timeout: 20_000 });
    expect({ stdout, stderr }).toEqual({ stdout: '3\n', stderr: '' });
  });
});

function sourceOf(file: string): string {
  return join(ROOT, 'src/tokens', file);
}
