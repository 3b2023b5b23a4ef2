import { execFileSync } from 'node:child_process';
import { constants, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { answering, OK, RawUpstream } from '../helpers/raw-upstream.ts';
import { runningApp } from '../helpers/running-app.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { ids, idsIn, parsed, startLog } from '../helpers/usage-log.ts';
import { usageRecord } from '../helpers/usage-record.ts';

const UNWRITABLE = 'the usage log cannot be written: records are dropped until it can';

async function pipe() {
  const folder = await tempDir();
  const path = folder.file('usage.fifo');
  execFileSync('mkfifo', [path]);
  return { ...folder, path };
}

/** Lines that a reader of the pipe got so far; the reading can be held up. */
function reader(path: string) {
  const stream = createReadStream(path, { encoding: 'utf8' });
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  return { stream, text: () => text };
}

describe('a usage log on a pipe', () => {
  it('waits for a reader without holding anything up, and drops what has none', async () => {
    await using fifo = await pipe();
    const { log, counters, said, clock, writeIds } = startLog({ path: fifo.path });
    writeIds(1, 3);
    await vi.waitFor(() => expect(said).toEqual([{ level: 'error', message: UNWRITABLE }]), 10_000);
    clock.ms += 1_000;
    await vi.waitFor(() => expect(counters.dropped).toBe(3), 10_000);
    const { stream, text } = reader(fifo.path);
    writeIds(4, 6);
    await vi.waitFor(() => expect(parsed(text()).map(({ id }) => id)).toEqual(ids(4, 6)), 10_000);
    await log.close();
    stream.destroy();
    expect(counters).toEqual({ written: 3, dropped: 3 });
  });

  it('keeps what a slow reader has not taken, whole and in order, and does not close the pipe on it', async () => {
    await using fifo = await pipe();
    const { stream, text } = reader(fifo.path);
    stream.pause();
    const { log, counters, said, writeIds } = startLog({ path: fifo.path });
    // Several times what a pipe holds.
    writeIds(1, 300);
    await vi.waitFor(() => expect(counters.written).toBeGreaterThan(10), 10_000);
    expect(counters.written).toBeLessThan(300);
    stream.resume();
    await vi.waitFor(() => expect(counters.written).toBe(300), 10_000);
    await vi.waitFor(() => expect(parsed(text()).map(({ id }) => id)).toEqual(ids(1, 300)), 10_000);
    expect(stream.closed).toBe(false);
    await log.close();
    expect(counters).toEqual({ written: 300, dropped: 0 });
    expect(said).toEqual([]);
  });

  it('never glues a record to one that the pipe took only in part', async () => {
    await using fifo = await pipe();
    const end = openSync(fifo.path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { log, counters } = startLog({ path: fifo.path });
    // Longer than a pipe takes whole, so that some are cut.
    const path = '/'.padEnd(8_000, 'x');
    for (const id of ids(1, 40)) log.write(usageRecord({ id, path }));
    let text = '';
    const bytes = Buffer.alloc(20_000);
    await vi.waitFor(() => {
      text += bytes.toString('utf8', 0, readSync(end, bytes, 0, bytes.length, null));
      expect(counters.written).toBe(40);
    }, 20_000);
    await log.close();
    text += readFileSync(end, 'utf8');
    expect(text.split('\n').length, 'some were cut').toBeGreaterThan(41);
    const whole = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    expect(whole.map((line) => JSON.parse(line).id)).toEqual(ids(1, 40));
  });

  it('ends although nobody reads, and counts what is lost', async () => {
    await using fifo = await pipe();
    const { log, counters, said, writeIds } = startLog({ path: fifo.path });
    writeIds(1, 2);
    await log.close();
    expect(counters).toEqual({ written: 0, dropped: 2 });
    expect(said.map(({ level }) => level)).toEqual(['error', 'error']);
  });
});

describe('a usage log on a disk that turns read-only', () => {
  it('drops with one loud line, and goes on once it can be written again', async (test) => {
    await using folder = await tempDir();
    const mount = (...args: string[]) => execFileSync('mount', [...args, folder.path], { stdio: 'ignore' });
    try {
      mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs');
    } catch {
      return test.skip('needs the right to mount a disk');
    }
    try {
      const path = folder.file('usage.jsonl');
      const { log, counters, said, clock, writeIds } = startLog({ path });
      writeIds(1, 2);
      await vi.waitFor(() => expect(counters.written).toBe(2), 10_000);
      await log.close();
      mount('-o', 'remount,ro');
      const next = startLog({ path });
      next.writeIds(3, 4);
      await vi.waitFor(() => expect(next.said).toEqual([{ level: 'error', message: UNWRITABLE }]), 10_000);
      next.clock.ms = clock.ms + 1_000;
      await vi.waitFor(() => expect(next.counters.dropped).toBe(2), 10_000);
      mount('-o', 'remount,rw');
      next.writeIds(5, 6);
      await next.log.close();
      expect(await idsIn(path)).toEqual(['r-1', 'r-2', 'r-5', 'r-6']);
      expect(next.counters).toEqual({ written: 2, dropped: 2 });
      expect([...said, next.said.at(-1)]).toEqual([{ level: 'warn', message: 'the usage log is written again' }]);
    } finally {
      execFileSync('umount', [folder.path]);
    }
  });
});

describe('a usage log that does not keep up', () => {
  it('holds a bounded backlog, and counts every record beyond it as dropped', async () => {
    await using folder = await tempDir();
    const { log, counters, said } = startLog({ path: folder.file('usage.jsonl') });
    // In one turn of the event loop, so that the disk has no chance.
    const path = '/'.padEnd(2_000, 'x');
    const all = ids(1, 20_000);
    for (const id of all) log.write(usageRecord({ id, path }));
    expect(counters.dropped).toBeGreaterThan(1_000);
    const kept = all.length - counters.dropped;
    await log.close();
    expect(counters).toEqual({ written: kept, dropped: all.length - kept });
    expect(await idsIn(folder.file('usage.jsonl'))).toEqual(ids(1, kept));
    expect(said).toEqual([
      { level: 'error', message: 'the disk of the usage log does not keep up: records are dropped' },
      { level: 'warn', message: 'the usage log is written again' },
    ]);
  });
});

describe('a gateway whose usage log cannot be written', () => {
  it('relays on, counts every record as dropped, says so once, and recovers with the path', async () => {
    await using upstream = await RawUpstream.start(answering(OK));
    await using folder = await tempDir();
    const path = folder.file('later/usage.jsonl');
    await using gateway = await runningApp({ upstreams: upstream.url, config: { usage_log: { path } } });
    const ask = async () => (await fetch(`http://127.0.0.1:${gateway.port}/v1/models`)).status;
    const counted = async (name: string) => {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      return Number(new RegExp(`^pitot_usage_records${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    for (let number = 0; number < 5; number += 1) expect(await ask()).toBe(200);
    await vi.waitFor(async () => expect(await counted('_dropped_total')).toBe(5), 10_000);
    await mkdir(folder.file('later'));
    expect(await ask()).toBe(200);
    await vi.waitFor(async () => expect(await counted('_total')).toBe(1), 10_000);
    expect(await counted('_dropped_total')).toBe(5);
    const said = (await gateway.written()).split('\n').filter((line) => line.includes('usage log'));
    expect(said.map((line) => JSON.parse(line)).map(({ level, msg }) => ({ level, message: msg }))).toEqual([
      { level: 'error', message: UNWRITABLE },
      { level: 'warn', message: 'the usage log is written again' },
    ]);
  });
});
