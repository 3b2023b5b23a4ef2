import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { usage } from '../../src/commands/usage.ts';
import type { GroupKey } from '../../src/usage-report/group-keys.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { startLog } from '../helpers/usage-log.ts';
import { usageRecord } from '../helpers/usage-record.ts';

async function run(files: readonly string[], options: { by?: readonly GroupKey[]; stdin?: readonly Buffer[] } = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await usage({
    files,
    by: options.by ?? [],
    isJson: true,
    stdin: Readable.from(options.stdin ?? []),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  const report = out.length === 0 ? null : JSON.parse(out.join(''));
  return { code, report, stderr: err.join('') };
}

const lines = (...users: string[]) => users.map((user) => `${JSON.stringify(usageRecord({ user }))}\n`).join('');

describe('pitot usage', () => {
  it('sums up what the usage log wrote, over its rotated files too', async () => {
    await using folder = await tempDir();
    const { log, writeIds } = startLog({ path: folder.file('log'), rotate_bytes: 20_000 });
    writeIds(1, 50);
    await log.close();
    const names = await readdir(folder.path);
    expect(names.length).toBeGreaterThan(2);
    const { code, report, stderr } = await run(names.map(folder.file));
    expect([code, stderr]).toEqual([0, '']);
    expect(report.total).toMatchObject({ requests: 50, output_tokens: 50 * 34, outcomes: { complete: 50 } });
  });

  it('reads gzip by its content, in several members too, and standard input', async () => {
    await using folder = await tempDir();
    const packed = Buffer.concat([gzipSync(lines('ada')), gzipSync(lines('bob'))]);
    await writeFile(folder.file('named-as-it-likes'), packed);
    const file = await run([folder.file('named-as-it-likes')]);
    expect(file.report.total.requests).toBe(2);
    // One byte at a time.
    const stdin = await run(['-'], { stdin: [...packed].map((byte) => Buffer.from([byte])), by: ['user'] });
    expect(stdin.report.rows.map(({ user }: { user: string }) => user)).toEqual(['ada', 'bob']);
    expect((await run(['-'], { stdin: [Buffer.from(lines('ada'))] })).report.total.requests).toBe(1);
  });

  it('skips and counts what is no record, and says where it begins', async () => {
    await using folder = await tempDir();
    const processLog = JSON.stringify({ level: 'info', msg: 'stopped' });
    await writeFile(folder.file('log'), `${lines('ada')}{"time":"20\n\n${processLog}\n[]\n{}\n${lines('ada')}{"ti`);
    const { code, report, stderr } = await run([folder.file('log')]);
    expect([code, report.total.requests]).toEqual([0, 2]);
    expect(stderr).toBe(
      `${folder.file('log')}: skipped 5 of 8 lines, the first is line 2 (no whole JSON: 2; no usage record: 2; line of the process log: 1)\n`,
    );
  });

  it('says so when there is no record at all', async () => {
    await using folder = await tempDir();
    await writeFile(folder.file('empty'), '');
    const { code, report, stderr } = await run([folder.file('empty')], { by: ['user'] });
    expect([code, report.total.requests, report.rows]).toEqual([0, 0, []]);
    expect(stderr).toBe('there is no usage record in what was read\n');
  });

  it('reads a file once, by however many names it was given', async () => {
    await using folder = await tempDir();
    await writeFile(folder.file('log'), lines('ada'));
    await symlink(folder.file('log'), folder.file('also'));
    const { report, stderr } = await run([folder.file('log'), folder.file('also'), '-', '-']);
    expect(report.total.requests).toBe(1);
    expect(stderr).toBe(`${folder.file('also')}: named before, and read once\n-: named before, and read once\n`);
  });

  it.each([
    ['is missing', 'missing', 'there is no such file'],
    ['is a directory', 'folder', 'it is a directory'],
    ['is cut gzip', 'cut.gz', 'it is gzip that was cut short'],
    ['is damaged gzip', 'bad.gz', 'it is damaged gzip'],
  ])('gives no sum where one file %s, but one sentence, and exit code 1', async (_what, name, reason) => {
    await using folder = await tempDir();
    const packed = gzipSync(lines('ada', 'bob', 'eve'));
    await mkdir(folder.file('folder'));
    await writeFile(folder.file('cut.gz'), packed.subarray(0, packed.length - 20));
    await writeFile(folder.file('bad.gz'), Buffer.concat([packed.subarray(0, 40), Buffer.alloc(200, 7)]));
    await writeFile(folder.file('log'), lines('ada'));
    const { code, report, stderr } = await run([folder.file('log'), folder.file(name)]);
    expect([code, report, stderr]).toEqual([1, null, `cannot read ${folder.file(name)}: ${reason}\n`]);
  });
});
