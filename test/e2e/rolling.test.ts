import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ChatClients } from '../helpers/chat-client.ts';
import { freePort } from '../helpers/free-port.ts';
import { hasHaproxy, hasNginx, LoadBalancer, type Member } from '../helpers/load-balancer.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';

for (const [name, isThere] of [
  ['haproxy', hasHaproxy],
  ['nginx', hasNginx],
] as const) {
  if (!isThere)
    process.stderr.write(`SKIPPED: no ${name} here (apt-get install ${name}); nothing is rolled behind it\n`);
}

/** Longer than two failed health checks. */
const DELAY = '1500ms';
const CLIENTS = 16;
const REQUESTS_EACH_PHASE = 250;

/** Two instances, each on ports that it keeps over its restarts. */
class Pair implements AsyncDisposable {
  readonly members: Member[];
  readonly #running: (PitotProcess | null)[] = [null, null];
  readonly #file: string;

  private constructor(members: Member[], file: string) {
    this.members = members;
    this.#file = file;
  }

  static async start(upstream: string, folder: { file: (name: string) => string }): Promise<Pair> {
    const file = folder.file('pitot.yaml');
    const config = { upstreams: [{ name: 'u', url: upstream }], shutdown_delay: DELAY, log: { level: 'warn' } };
    await writeFile(file, JSON.stringify(config)); // JSON is YAML.
    const members: Member[] = [];
    for (let i = 0; i < 2; i += 1) {
      members.push({ listen: `127.0.0.1:${await freePort()}`, admin: `127.0.0.1:${await freePort()}` });
    }
    const pair = new Pair(members, file);
    await Promise.all([pair.begin(0), pair.begin(1)]);
    return pair;
  }

  async begin(index: 0 | 1): Promise<void> {
    const { listen, admin } = this.members[index] ?? { listen: '', admin: '' };
    this.#running[index] = await PitotProcess.serve(['--config', this.#file, '--listen', listen, '--admin', admin]);
  }

  /** SIGTERM; resolves to the exit code. */
  async end(index: 0 | 1): Promise<number | string | undefined> {
    this.#running[index]?.process.kill('SIGTERM');
    return await this.#running[index]?.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pitot of this.#running) await pitot?.[Symbol.asyncDispose]();
  }
}

describe.each([
  { name: 'haproxy, which asks for readiness', isThere: hasHaproxy, start: LoadBalancer.haproxy },
  { name: 'nginx, which finds out for itself', isThere: hasNginx, start: LoadBalancer.nginx },
])('two instances behind $name', ({ isThere, start }) => {
  it.skipIf(!isThere)('are restarted one after the other under load, and no request fails', async () => {
    await using folder = await tempDir();
    await using upstream = new PacedUpstream({ everyMs: 10, tokensPerChunk: 1 });
    await using pair = await Pair.start(await upstream.start(), folder);
    await using balancer = await start(pair.members, folder.path);
    const agent = new Agent({ keepAlive: true });
    const clients = new ChatClients(balancer.url, { clients: CLIENTS, agent, chunks: 5 });
    const more = async () => {
      const goal = clients.answers.length + REQUESTS_EACH_PHASE;
      await until(() => clients.answers.length >= goal);
    };
    await more();
    for (const index of [0, 1] as const) {
      expect(await pair.end(index)).toBe(0);
      await more();
      await pair.begin(index);
      await more();
    }
    const answers = await clients.stop();
    agent.destroy();
    expect(answers.filter(({ status, isWhole }) => status !== 200 || !isWhole)).toEqual([]);
    expect(answers.length).toBeGreaterThan(1_000);
  });
});
