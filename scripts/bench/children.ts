import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** How long a child may take to end by itself before it is killed. */
const GRACE_MS = 3_000;
const POLL_MS = 25;

export interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  readonly pid: number;
  readonly logFile: string;
}

/** Every process that the bench starts, and the directory they write to: whatever happens, both are gone afterwards. */
export class Children {
  readonly directory = mkdtempSync(join(tmpdir(), 'pitot-bench-'));
  readonly #running = new Set<Child>();
  #started = 0;
  #isOver = false;

  constructor() {
    // The last resort, when the bench itself fails in a way nobody foresaw.
    process.once('exit', () => {
      for (const child of this.#running) child.process.kill('SIGTERM');
    });
  }

  /** A program; its output goes to a file, for a pipe would have to be read by the measuring process. */
  start(name: string, command: readonly [string, ...string[]]): Child {
    const [program, ...args] = command;
    return this.#keep(name, (log) => spawn(program, args, { stdio: ['ignore', log, log] }));
  }

  /** A Node program that can be talked to. */
  fork(name: string, script: string | URL, options: ForkOptions & { args?: string[] } = {}): Child {
    const { args = [], ...rest } = options;
    return this.#keep(name, (log) => fork(script, args, { ...rest, stdio: ['ignore', log, log, 'ipc'] }));
  }

  #keep(name: string, launch: (log: number) => ChildProcess): Child {
    if (this.#isOver) throw new Error('The bench is being stopped.');
    this.#started += 1;
    const logFile = join(this.directory, `${this.#started}-${name}.log`);
    const log = openSync(logFile, 'a');
    const launched = launch(log);
    closeSync(log);
    // Without a listener a program that cannot be run would end the bench from within.
    launched.on('error', () => undefined);
    if (launched.pid === undefined) throw new Error(`${name} could not be started.`);
    const child = { name, process: launched, pid: launched.pid, logFile };
    this.#running.add(child);
    return child;
  }

  async stop(child: Child): Promise<void> {
    if (!hasEnded(child)) {
      const ended = new Promise((resolve) => child.process.once('exit', resolve));
      child.process.kill('SIGTERM');
      const killing = setTimeout(() => child.process.kill('SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(killing);
    }
    this.#running.delete(child);
  }

  async stopAll(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running].map((child) => this.stop(child)));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function hasEnded({ process }: Child): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

/** Asks until there is an answer. @throws Error with the child's last words when it ends, or takes over `limitMs`. */
export async function poll<T>(child: Child, ask: (log: string) => Promise<T | null> | T | null, limitMs: number) {
  const until = performance.now() + limitMs;
  while (performance.now() < until && !hasEnded(child)) {
    const answer = await ask(readFileSync(child.logFile, 'utf8'));
    if (answer !== null) return answer;
    await wait(POLL_MS);
  }
  const state = hasEnded(child) ? 'ended before it was ready' : `was not ready after ${limitMs / 1000} s`;
  const lastWords = readFileSync(child.logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
  throw new Error(`${child.name} ${state}.${lastWords === '' ? '' : ` It said:\n${lastWords}`}`);
}
