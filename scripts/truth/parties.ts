import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child, Children } from '../bench/children.ts';
import { argumentsFor, listening } from '../bench/contestants/pitot.ts';
import { ask } from '../bench/conversation.ts';
import { cpuTimeMs } from '../bench/process-tree.ts';
import type { ClientAnswer, ClientQuestion } from './client.ts';
import type { Written } from './emissions.ts';
import type { Truth, UpstreamAddress, UpstreamQuestion } from './upstream.ts';
import type { Target } from './user.ts';

/** Of a usage record, what is held against the truth. */
export interface Told {
  readonly request_id: string;
  readonly outcome: string;
  readonly usage_source: string;
  readonly output_tokens: number | null;
  readonly ttft_ms: number | null;
  readonly tpot_ms: number | null;
  readonly longest_gap_ms: number | null;
  readonly client_blocked_ms: number | null;
}

const LIMIT_MS = 40_000;

/** The upstream and the clients, as the measuring process sees them. */
export class Parties {
  readonly #upstream: Child;
  readonly #client: Child;

  constructor(children: Children) {
    this.#upstream = children.fork('upstream', new URL('./upstream.ts', import.meta.url));
    this.#client = children.fork('client', new URL('./client.ts', import.meta.url));
  }

  async upstreamPort(): Promise<number> {
    return (await this.#askUpstream<UpstreamAddress>({ kind: 'address' })).port;
  }

  truth(question: Omit<UpstreamQuestion & { kind: 'looked at' }, 'kind'>): Promise<Truth> {
    return this.#askUpstream<Truth>({ kind: 'looked at', ...question });
  }

  written(): Promise<readonly Written[]> {
    return this.#askUpstream<readonly Written[]>({ kind: 'written' });
  }

  /** @throws Error with the first fault that a client met. */
  async clients(question: ClientQuestion): Promise<void> {
    const { faults } = await ask<ClientQuestion, ClientAnswer>(this.#client, question, LIMIT_MS);
    if (faults[0] !== undefined) throw new Error(`${faults.length} faults at the clients, the first: ${faults[0]}.`);
  }

  #askUpstream<Answer>(question: UpstreamQuestion): Promise<Answer> {
    return ask<UpstreamQuestion, Answer>(this.#upstream, question, LIMIT_MS);
  }
}

/** The measured program, one worker, with a usage log. */
export class MeasuredPitot {
  readonly data: Target;
  readonly admin: Target;
  readonly #child: Child;
  readonly #log: string;
  #read = 0;

  private constructor(parts: { data: Target; admin: Target; child: Child; log: string }) {
    this.data = parts.data;
    this.admin = parts.admin;
    this.#child = parts.child;
    this.#log = parts.log;
  }

  static async start(children: Children, main: string, upstreamPort: number): Promise<MeasuredPitot> {
    const log = join(children.directory, `usage-${upstreamPort}-${Date.now()}.jsonl`);
    const upstreams = [{ name: 'truth', url: `http://127.0.0.1:${upstreamPort}`, engine: 'vllm' }];
    const args = argumentsFor(children, 'truth', { upstreams, usage_log: { path: log, rotate_bytes: '10GiB' } });
    const child = children.start('pitot', [process.execPath, main, ...args]);
    return new MeasuredPitot({ ...(await listening(child)), child, log });
  }

  /** Of all its threads, so far. */
  cpuMs(): number {
    return cpuTimeMs(this.#child.pid);
  }

  async metrics(): Promise<string> {
    return await (await fetch(`http://${this.admin.host}:${this.admin.port}/metrics`)).text();
  }

  /** The usage records written since this was asked last. */
  records(): Told[] {
    const lines = existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n').slice(0, -1) : [];
    const fresh = lines.slice(this.#read);
    this.#read = lines.length;
    return fresh.map((line) => JSON.parse(line) as Told);
  }

  async stop(children: Children): Promise<void> {
    await children.stop(this.#child);
  }
}
