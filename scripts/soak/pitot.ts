import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Exposition } from './exposition.ts';
import { inspectorUrls, LiveHeap } from './live-heap.ts';
import { priceOf } from './site.ts';

const READY_LIMIT_MS = 20_000;
const RELOAD_LIMIT_MS = 10_000;
const REFUSED = 'configuration refused';

export interface Started {
  /** The built program. */
  readonly main: string;
  readonly workers: number;
  /** The configuration, but for where its usage log is. */
  readonly config: (round: number) => object;
}

/** The product as a process of its own, in a folder of its own; both are gone afterwards. */
export class Pitot {
  readonly folder = mkdtempSync(join(tmpdir(), 'pitot-soak-'));
  readonly usageLog = join(this.folder, 'usage.jsonl');
  url = '';
  reloads = 0;
  refusals = 0;
  readonly #started: Started;
  readonly #process: ChildProcess;
  #admin = '';
  #heaps: LiveHeap[] = [];

  private constructor(started: Started) {
    this.#started = started;
    this.#configure(started.config(0));
    const files = [openSync(this.#log, 'a'), openSync(this.#errors, 'a')] as const;
    const args = [started.main, 'serve', '--config', this.#file, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
    // The inspector says what is left on the heap after a collection; otherwise it sleeps.
    const env = { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' };
    this.#process = spawn(process.execPath, args, { env, stdio: ['ignore', ...files] });
    for (const file of files) closeSync(file);
  }

  static async start(started: Started): Promise<Pitot> {
    const pitot = new Pitot(started);
    const line = await pitot.#until('"msg":"listening"', READY_LIMIT_MS);
    const { listen, admin } = JSON.parse(line) as { listen: string; admin: string };
    pitot.url = `http://${listen}`;
    pitot.#admin = admin;
    pitot.#heaps = await Promise.all(inspectorUrls(readFileSync(pitot.#errors, 'utf8')).map((url) => LiveHeap.of(url)));
    return pitot;
  }

  async metrics(): Promise<Exposition> {
    const answer = await fetch(`http://${this.#admin}/metrics`);
    return new Exposition(await answer.text());
  }

  /** A sound configuration that differs, or a faulty one. Resolves when it is in force, or was refused. */
  async reload(isFaulty: boolean): Promise<void> {
    const round = this.reloads + this.refusals + 1;
    const config = this.#started.config(round);
    this.#configure(isFaulty ? { ...config, upstreams: 'none' } : config);
    this.#process.kill('SIGHUP');
    if (isFaulty) {
      this.refusals += 1;
      await this.#until(REFUSED, RELOAD_LIMIT_MS, this.refusals);
      return;
    }
    this.reloads += 1;
    const untilMs = performance.now() + RELOAD_LIMIT_MS;
    while ((await this.metrics()).sum('pitot_gpu_price_dollars_per_hour') !== priceOf(round)) {
      if (performance.now() > untilMs) throw new Error(`Pitot did not take the configuration of round ${round}`);
      await wait(100);
    }
  }

  /** Live bytes on the heaps of all its processes, after a full collection. */
  async liveHeapBytes(): Promise<number> {
    const sizes = await Promise.all(this.#heaps.map((heap) => heap.measure()));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  get processes(): number {
    return this.#pids.length;
  }

  get sockets(): number {
    return this.#pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
  }

  /** Of all its processes, shared pages counted in each. */
  get residentBytes(): number {
    const kibibytes = (pid: number) =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    return this.#pids.reduce((sum, pid) => sum + kibibytes(pid) * 1_024, 0);
  }

  /** Lines of level error or fatal, but those of configurations that this run made faulty. */
  get errorLines(): string[] {
    const lines = readFileSync(this.#log, 'utf8').split('\n');
    return lines.filter((line) => /"level":"(error|fatal)"/.test(line) && !line.includes(REFUSED));
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** SIGTERM; resolves to the exit code. */
  async stop(): Promise<number | null> {
    for (const heap of this.#heaps) heap.close();
    if (this.isRunning) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await exited;
    }
    return this.#process.exitCode;
  }

  /** Whatever has happened. */
  destroy(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #pids(): number[] {
    const pid = this.#process.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  get #file(): string {
    return join(this.folder, 'pitot.yaml');
  }

  get #log(): string {
    return join(this.folder, 'stdout');
  }

  get #errors(): string {
    return join(this.folder, 'stderr');
  }

  #configure(config: object): void {
    const usage_log = { path: this.usageLog, rotate_bytes: '8MiB', keep: 1_000 };
    // JSON is YAML.
    writeFileSync(this.#file, JSON.stringify({ ...config, workers: this.#started.workers, usage_log }));
  }

  /** The line that holds these words the so-manieth time. */
  async #until(words: string, limitMs: number, times = 1): Promise<string> {
    const untilMs = performance.now() + limitMs;
    while (performance.now() < untilMs && this.isRunning) {
      const lines = readFileSync(this.#log, 'utf8')
        .split('\n')
        .filter((line) => line.includes(words));
      const found = lines[times - 1];
      if (found !== undefined) return found;
      await wait(20);
    }
    throw new Error(`Pitot did not say "${words}":\n${readFileSync(this.#errors, 'utf8').slice(-2_000)}`);
  }
}
