import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FromWorker, ToWorker } from './protocol.ts';

/** How a process came to its end. */
export interface Ended {
  code: number | null;
  signal: string | null;
}

/**
 * One process of a worker, from its fork to its end. Standard output is the first process's alone; what
 * Node itself has to say of a crash goes to standard error.
 */
export class WorkerProcess {
  /** Ended, and everything that it had sent has been heard. */
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(onMessage: (message: FromWorker) => void) {
    const { file, execArgv } = entry();
    this.#child = fork(file, [], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    // What comes over this channel is what `main.ts` beside this file sends.
    this.#child.on('message', (message) => onMessage(message as FromWorker));
    // A worker that dies while it is spoken to: its end says so.
    this.#child.on('error', () => {});
    this.ended = this.#end();
  }

  /** Of a message that cannot be sent nothing needs to be said: the end of the worker does. */
  send(message: ToWorker): void {
    this.#child.send(message, () => {});
  }

  /** Keeps this process's own copy of the socket open. `onFailed`: it was not sent; `isOver` when nothing will be. */
  hand(connection: number, socket: Socket, onFailed: (isOver: boolean) => void): void {
    const message: ToWorker = { kind: 'connection', connection };
    this.#child.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null) onFailed(!this.#child.connected);
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #end(): Promise<Ended> {
    const isSilent = once(this.#child, 'disconnect');
    const isOver = new Promise<Ended>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
      // It could not even be started.
      this.#child.once('error', () => resolve({ code: null, signal: null }));
    });
    const ended = await isOver;
    if (this.#child.connected) await isSilent;
    return ended;
  }
}

/** `main.js` in the built product. From sources it is `main.ts`, which Node 20 runs with tsx only. */
function entry(): { file: string; execArgv: string[] } {
  if (!import.meta.url.endsWith('.ts')) {
    return { file: fileURLToPath(new URL('./main.js', import.meta.url)), execArgv: process.execArgv };
  }
  const file = fileURLToPath(new URL('./main.ts', import.meta.url));
  return { file, execArgv: ['--import', import.meta.resolve('tsx')] };
}
