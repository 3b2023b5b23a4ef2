import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { createLog, type Log } from '../../src/log.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { usageRecord } from '../helpers/usage-record.ts';

async function linesOf(level: string, act: (log: Log) => void): Promise<Record<string, unknown>[]> {
  await using folder = await tempDir();
  const log = createLog({ level, destination: folder.file('out') });
  act(log);
  await log.close();
  const content = await readFile(folder.file('out'), 'utf8');
  return content
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const PORTS = { listen: '127.0.0.1:8080', admin: '127.0.0.1:9464' };

describe('the log', () => {
  it.each(['trace', 'info', 'fatal', 'silent'])('says that it listens at level %s', async (level) => {
    const lines = await linesOf(level, (log) => log.listening(PORTS));
    expect(lines).toEqual([expect.objectContaining({ msg: 'listening', ...PORTS })]);
  });

  it('writes one line for a finished request: its record', async () => {
    const lines = await linesOf('info', (log) => log.request(usageRecord()));
    expect(lines).toEqual([{ level: 'info', msg: 'request', ...usageRecord() }]);
  });

  it('is silent about requests above level info', async () => {
    expect(await linesOf('warn', (log) => log.request(usageRecord()))).toEqual([]);
  });

  it('writes requests without being asked to, in order, and what warns at once', async () => {
    await using folder = await tempDir();
    const log = createLog({ level: 'info', destination: folder.file('out') });
    const written = async () =>
      (await readFile(folder.file('out'), 'utf8'))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .map(({ id, msg }) => id ?? msg);
    for (const id of ['a', 'b']) log.request({ ...usageRecord(), id });
    await vi.waitFor(async () => expect(await written()).toEqual(['a', 'b']));
    log.request({ ...usageRecord(), id: 'c' });
    log.logger.warn('d');
    await vi.waitFor(async () => expect(await written()).toEqual(['a', 'b', 'c', 'd']));
    await log.close();
  });

  it('passes a line through as it is, whole and in order among the others', async () => {
    const lines = await linesOf('info', (log) => {
      for (let index = 0; index < 500; index += 1) {
        log.logger.info({ index }, 'one');
        expect(log.line(JSON.stringify({ index, text: 'é'.repeat(300) }))).toBe(true);
      }
    });
    expect(lines.map((line) => line['index'])).toEqual(Array.from({ length: 1_000 }, (_, index) => index >> 1));
  });

  it('says so when its reader is too far behind, or gone, and does not wait for it', async () => {
    await using folder = await tempDir();
    const path = folder.file('pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const log = createLog({ level: 'info', destination: path });
    const megabyte = 'x'.repeat(1_024 * 1_024);
    const taken = Array.from({ length: 12 }, () => log.line(megabyte));
    expect(taken[0]).toBe(true);
    expect(taken.at(-1)).toBe(false);
    closeSync(reader);
    await vi.waitFor(() => expect(log.line('x')).toBe(false), 10_000);
  });
});
