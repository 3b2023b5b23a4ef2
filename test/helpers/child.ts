import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from './until.ts';

/** A program under test: its lines are kept, and it is ended with the test that started it. */
export class Child implements AsyncDisposable {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly process: ChildProcess;

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    this.process = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#keep('stdout');
    this.#keep('stderr');
  }

  /** The first line of standard output that the test accepts. */
  async line(accepts: (line: string) => boolean): Promise<string> {
    await until(() => this.stdout.some(accepts) || this.#how !== null);
    const found = this.stdout.find(accepts);
    if (found === undefined) throw new Error(`ended with ${this.#how}: ${this.stderr.join(' | ')}`);
    return found;
  }

  /** The exit code, or the signal that ended it. */
  async ended(): Promise<number | string> {
    if (this.#how === null) await once(this.process, 'close');
    return this.#how ?? 'unknown';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }

  get #how(): number | string | null {
    return this.process.exitCode ?? this.process.signalCode;
  }

  #keep(name: 'stdout' | 'stderr'): void {
    const stream = this.process[name];
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => this[name].push(line));
  }
}
