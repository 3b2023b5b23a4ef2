import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { usageRecord } from '../helpers/usage-record.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** CONTRACT §8: a record is in the file at most this long after its request ended. */
const DUE_MS = 1_000;
const CLIENTS = 16;

async function chatServer() {
  const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'c', model: 'm', ...fields })}\n\n`;
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ choices: [{ index: 0, delta: { content: 'one two' } }] }));
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.write(chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }));
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => request.resume().on('end', () => answer(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Clients that ask without pause until their gateway is gone. Gives back when each answer was whole, by request id. */
async function load(url: string, prefix: string): Promise<Map<string, number>> {
  const wholeAtMs = new Map<string, number>();
  const client = async (number: number) => {
    for (let count = 0; ; count += 1) {
      const id = `${prefix}-${number}-${count}`;
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': id },
        body: '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
      });
      if ((await answer.text()).endsWith('[DONE]\n\n')) wholeAtMs.set(id, performance.now());
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return wholeAtMs;
}

/** Every line of the log and its rotated files; the open file is last. */
async function linesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((name) => name.startsWith('usage'))
    .sort()
    .reverse();
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
}

const idsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).request_id);

describe('the usage log of a process that is killed under load', () => {
  it('has every record older than a second, none twice, and no torn line after a restart', async () => {
    await using upstream = await chatServer();
    await using folder = await tempDir();
    const config = folder.file('pitot.yaml');
    const usageLog = `{ path: ${folder.file('usage.jsonl')}, rotate_bytes: 300KiB, keep: 500 }`;
    await writeFile(
      config,
      `upstreams: [{ name: a, url: "${upstream.url}" }]\nusage_log: ${usageLog}\nlog: { level: warn }\n`,
    );
    const due: string[] = [];
    for (const [round, lifeMs] of [2_300, 1_700, 2_050].entries()) {
      await using pitot = await PitotProcess.serve(['--config', config]);
      const loaded = load(pitot.url, `round${round}`);
      await new Promise((resolve) => setTimeout(resolve, lifeMs));
      const killedAtMs = performance.now();
      pitot.process.kill('SIGKILL');
      const wholeAtMs = await loaded;
      due.push(...[...wholeAtMs].filter(([, atMs]) => killedAtMs - atMs > DUE_MS).map(([id]) => id));
      expect(await pitot.ended()).toBe('SIGKILL');
    }
    expect(due.length).toBeGreaterThan(100);

    await using last = await PitotProcess.serve(['--config', config]);
    const id = 'after-all';
    await (await fetch(`${last.url}/v1/models`, { headers: { 'x-request-id': id } })).text();
    last.process.kill('SIGTERM');
    expect(await last.ended()).toBe(0);
    const lines = await linesIn(folder.path);
    const written = idsOf(lines);
    expect(new Set(written).size).toBe(written.length);
    expect(written.at(-1)).toBe(id);
    const has = new Set(written);
    expect(due.filter((one) => !has.has(one))).toEqual([]);
    process.stderr.write(`killed three times: ${due.length} records due, ${written.length} written\n`);

    const files = (await readdir(folder.path)).filter((name) => name.startsWith('usage')).map(folder.file);
    expect(files.length).toBeGreaterThan(1);
    await using report = PitotProcess.run(['usage', ...files, '--json']);
    expect(await report.ended()).toBe(0);
    expect(report.stderr).toEqual([]);
    expect(JSON.parse(report.stdout.join('\n')).total.requests).toBe(written.length);
  });
});

describe('pitot usage in a pipeline', () => {
  it('ends without a word when its reader has seen enough', async () => {
    await using folder = await tempDir();
    const users = Array.from(
      { length: 5_000 },
      (_, index) => `${JSON.stringify(usageRecord({ user: `u${index}` }))}\n`,
    );
    await writeFile(folder.file('log'), users.join(''));
    const command = `set -o pipefail; node "$0" usage "$1" --by user | head -n 1`;
    const told = execFileSync('bash', ['-c', command, MAIN, folder.file('log')], { encoding: 'utf8' });
    expect(told).toMatch(/^user +requests/);
  });
});
