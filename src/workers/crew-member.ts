import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { RestartBudget } from '../tokens/restart-budget.ts';
import { HandedOver } from './handed-over.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { Silence } from './silence.ts';
import { type Ended, WorkerProcess } from './worker-process.ts';

/** Takes what a worker says beside that it is ready, and that it has a connection. */
export type Listener = (message: Exclude<FromWorker, { kind: 'ready' | 'taken' }>) => void;

/** One worker by its number. Its process may be replaced. */
export class CrewMember {
  readonly worker: number;
  /** How often its process may be started: one that dies at once, each time, must not be all that is done. */
  readonly starts: RestartBudget;
  isReady = false;
  /** Called when it is heard again after a silence. */
  onHeardAgain: () => void = () => {};
  readonly silence = new Silence();
  readonly #handedOver = new HandedOver();
  #process: WorkerProcess | null = null;

  constructor(worker: number, clock: Clock) {
    this.worker = worker;
    this.starts = new RestartBudget(clock);
  }

  /** `ready` rejects with the reason when it cannot start; `ended` never rejects. */
  start(config: Config, listener: Listener): { ready: Promise<void>; ended: Promise<Ended> } {
    const { promise: ready, resolve, reject } = withResolvers();
    this.silence.heard();
    const worker = new WorkerProcess((message) => {
      if (this.silence.heard()) this.onHeardAgain();
      if (message.kind === 'taken') this.#handedOver.taken(message.connection);
      else if (message.kind === 'ready') {
        this.isReady = true;
        resolve();
      } else {
        if (message.kind === 'failed') reject(new Error(message.sentence));
        listener(message);
      }
    });
    this.#process = worker;
    worker.send({ kind: 'start', worker: this.worker, config });
    const ended = worker.ended.then((how) => {
      this.isReady = false;
      reject(new Error(`worker ${this.worker} ended before it was ready: ${howOf(how)}`));
      return how;
    });
    // Who waits for it hears of it; nobody has to.
    ready.catch(() => {});
    return { ready, ended };
  }

  /** Can be given connections. */
  get canTake(): boolean {
    return this.isReady && !this.silence.isSilent;
  }

  /** Connections that it has not confirmed. */
  get untaken(): number {
    return this.#handedOver.size;
  }

  send(message: ToWorker): void {
    this.#process?.send(message);
  }

  /** `onBack` is called when the worker turns out to be over. */
  hand(socket: Socket, onBack: (socket: Socket) => void): void {
    const connection = this.#handedOver.add(socket);
    this.#process?.hand(connection, socket, (isOver) => {
      const back = this.#handedOver.back(connection);
      if (isOver) this.isReady = false;
      if (isOver && back !== null) onBack(back);
      // Not the worker's fault: no other could take it either.
      else back?.resetAndDestroy();
    });
  }

  /** After its end: connections that it had not taken, and of which nothing was read. */
  leftOver(): Socket[] {
    return this.#handedOver.allBack();
  }

  kill(): void {
    this.#process?.kill();
  }
}

function howOf({ code, signal }: Ended): string {
  return signal ?? `exit code ${code}`;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let settle = { resolve: () => {}, reject: (_error: Error) => {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
