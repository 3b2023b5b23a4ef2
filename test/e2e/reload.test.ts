import { readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { inspectorUrls, LiveHeap } from '../../scripts/soak/live-heap.ts';
import { type ChatAnswer, ChatClients, chat } from '../helpers/chat-client.ts';
import { childrenOf } from '../helpers/children-of.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';

/** Each of them looked at, under load. */
const CHECKED = 50;
/** And so many that what one leaves behind, a configuration or a pool of connections, would be seen in the heap. */
const COUNTED = 600;
const MOST_HEAP_BYTES_EACH = 1_500;
/** Every fifth configuration is a faulty one. */
const isFaulty = (round: number) => round % 5 === 4;

/** Says its name to everyone. */
class NamedServer implements AsyncDisposable {
  readonly #server: Server;

  constructor(name: string) {
    this.#server = createServer((request, response) => {
      request.resume();
      response.end(name);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A gateway whose configuration changes while it runs. */
class Reloaded {
  readonly pitot: PitotProcess;
  readonly #file: string;

  private constructor(pitot: PitotProcess, file: string) {
    this.pitot = pitot;
    this.#file = file;
  }

  static async serve(config: object, folder: { file: (name: string) => string }): Promise<Reloaded> {
    const file = folder.file('pitot.yaml');
    await writeFile(file, JSON.stringify(config)); // JSON is YAML.
    const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };
    return new Reloaded(await PitotProcess.serve(['--config', file], env), file);
  }

  /** Resolves when the configuration was taken. */
  async take(config: object): Promise<void> {
    await this.#reload(JSON.stringify(config), 'configuration read again');
  }

  /** Resolves when the text was refused. */
  async refuse(text: string): Promise<void> {
    await this.#reload(text, 'configuration refused');
  }

  async #reload(text: string, words: string): Promise<void> {
    const { pitot } = this;
    await writeFile(this.#file, text);
    const from = pitot.stdout.length;
    pitot.process.kill('SIGHUP');
    await until(() => pitot.stdout.slice(from).some((line) => line.includes(words)));
  }
}

/** Sockets that a process holds. */
function sockets({ process }: PitotProcess): number {
  const folder = `/proc/${process.pid}/fd`;
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return ''; // Closed in between.
    }
  });
  return links.filter((link) => link.startsWith('socket:')).length;
}

it('SIGHUP under load: a good configuration counts from the next request on, a faulty one is refused, no stream notices, nothing leaks', async () => {
  await using folder = await tempDir();
  await using engine = new PacedUpstream({ everyMs: 20, tokensPerChunk: 1 });
  await using left = new NamedServer('left');
  await using right = new NamedServer('right');
  const engineUrl = await engine.start();
  const urls = { left: await left.start(), right: await right.start() };
  /** Every round has an upstream of other connections, and now one server, now the other behind a path. */
  const config = (round: number) => ({
    upstreams: [
      { name: 'named', url: round % 2 === 0 ? urls.left : urls.right, match: { path: '/named' }, keep_alive: '60s' },
      { name: `engine-${round % 3}`, url: engineUrl, keep_alive: `${3_000 + round}ms`, gpus: round + 1 },
    ],
    workloads: [{ name: 'default', slo: { ttft: `${round + 1}s` } }],
    identity: { max_users: 100 + round },
    log: { level: 'warn' },
  });
  const verbose = (round: number) => ({ ...config(round), log: { level: 'info' } });
  const reloaded = await Reloaded.serve(verbose(0), folder);
  await using pitot = reloaded.pitot;
  const heap = await LiveHeap.of(inspectorUrls(pitot.stderr.join('\n'))[0] ?? '');
  const agent = new Agent({ keepAlive: true });

  const rounds = async (from: number, count: number) => {
    const long: Promise<ChatAnswer>[] = Array.from({ length: 6 }, () => chat(pitot.url, { chunks: 200, agent }));
    const clients = new ChatClients(pitot.url, { clients: 4, agent, chunks: 4 });
    for (let round = from; round < from + count; round += 1) {
      const before = await pitot.metric('pitot_upstream_gpus');
      if (isFaulty(round)) {
        await reloaded.refuse(JSON.stringify({ ...verbose(round), upstreams: [{ name: 'x', url: 'ftp://nowhere' }] }));
        expect(await pitot.metric('pitot_config_last_reload_successful')).toBe(0);
        expect(await pitot.metric('pitot_upstream_gpus')).toBe(before);
      } else {
        await reloaded.take(verbose(round));
        expect(await pitot.metric('pitot_config_last_reload_successful')).toBe(1);
        expect(await pitot.metric('pitot_upstream_gpus')).toBe(round + 1);
        const name = await (await fetch(`${pitot.url}/named`)).text();
        expect(name).toBe(round % 2 === 0 ? 'left' : 'right');
        const retired = round % 2 === 0 ? right : left;
        await expect.poll(() => retired.connections()).toBe(0);
      }
    }
    const answers = [...(await Promise.all(long)), ...(await clients.stop())];
    expect(answers.filter(({ status, isWhole }) => status !== 200 || !isWhole)).toEqual([]);
    return answers.length;
  };
  /** Nothing runs, and idle connections have ended on both sides. */
  const atRest = async () => {
    agent.destroy();
    await reloaded.take(verbose(1_000_000));
    await expect.poll(() => pitot.metric('pitot_requests_in_flight')).toBe(0);
    let open = sockets(pitot);
    await expect
      .poll(() => {
        const before = open;
        open = sockets(pitot);
        return open === before;
      })
      .toBe(true);
    return { sockets: open, heapBytes: await heap.measure() };
  };

  const many = async (count: number) => {
    const clients = new ChatClients(pitot.url, { clients: 4, agent, chunks: 4 });
    for (let i = 0; i < count; i += 1) await reloaded.take(verbose(i % 90));
    return await clients.stop();
  };

  expect(await rounds(0, CHECKED)).toBeGreaterThan(50);
  // Until the code has run often enough to be compiled.
  await many(COUNTED / 2);
  const before = await atRest();
  const answers = await many(COUNTED);
  const after = await atRest();
  heap.close();
  expect(answers.filter(({ isWhole }) => !isWhole)).toEqual([]);
  // The clients of this test come and go.
  expect(after.sockets - before.sockets).toBeLessThan(10);
  expect((after.heapBytes - before.heapBytes) / COUNTED).toBeLessThan(MOST_HEAP_BYTES_EACH);
  const errors = pitot.stdout.filter((line) => line.includes('"level":"error"'));
  expect(errors.every((line) => line.includes('configuration refused'))).toBe(true);
});

it('a worker that starts while the configuration is read again takes the new one', async () => {
  await using folder = await tempDir();
  await using before = new NamedServer('before');
  await using after = new NamedServer('after');
  const configOf = (url: string) => ({ upstreams: [{ name: 'u', url }], workers: 2 });
  const reloaded = await Reloaded.serve(configOf(await before.start()), folder);
  await using pitot = reloaded.pitot;
  const workers = () => childrenOf(pitot.process.pid ?? 0);
  const [victim = 0, other = 0] = await workers();
  process.kill(victim, 'SIGKILL');
  // Its successor is there, and loads its program.
  await until(async () => (await workers()).some((pid) => pid !== victim && pid !== other));
  await reloaded.take(configOf(await after.start()));
  const answers = new Set<string>();
  // Each on a connection of its own: they go to the workers in turn, and in this time the successor has its share.
  for (const end = Date.now() + 3_000; Date.now() < end; ) answers.add(await answerOf(pitot.url));
  expect([...answers]).toEqual(['after']);
}, 30_000);

function answerOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => response.setEncoding('utf8').once('data', resolve));
    request.once('error', reject);
  });
}
