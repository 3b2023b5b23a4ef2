import type { Socket } from 'node:net';
import { keepYoungGeneration, tuneCollector } from '../v8-flags.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { WorkerApp } from './worker-app.ts';

/**
 * Where a worker begins: a process that the first one forked, and that lives as long as that one does. A
 * terminal's Ctrl-C and a service manager's SIGTERM reach the whole group of processes: the first one
 * alone decides what they mean.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));
tuneCollector();
/** Loaded only now: loading makes the young generation grow. */
const program = import('./worker-app.ts');

let app: WorkerApp | null = null;
/** Resolves when the last connection so far is taken. */
let lastTaken = Promise.resolve();

function send(message: FromWorker, onSent: (error: Error | null) => void = () => {}): void {
  process.send?.(message, undefined, undefined, onSent);
}

async function start(message: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  try {
    const { WorkerApp } = await program;
    keepYoungGeneration();
    app = new WorkerApp(message, (told) => send(told));
    await app.open();
    send({ kind: 'ready' });
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    send({ kind: 'failed', sentence }, () => process.exit(1));
  }
}

/**
 * Nothing is read before it is confirmed: what the first process has heard no confirmation of, it can hand to
 * another worker. A connection that did not arrive is confirmed too, and so ends with the copy there.
 */
function takeConnection(connection: number, socket: Socket | undefined): void {
  lastTaken = new Promise((resolve) => {
    send({ kind: 'taken', connection }, (error) => {
      if (error !== null) socket?.destroy();
      else if (socket !== undefined) app?.connection(socket);
      resolve();
    });
  });
}

async function close(graceMs: number): Promise<void> {
  await lastTaken;
  await app?.close(graceMs);
  // The channel keeps its order: when this is sent, so is everything else.
  send({ kind: 'told', told: [] }, () => process.exit(0));
}

function take(message: ToWorker, socket: Socket | undefined): void {
  switch (message.kind) {
    case 'start':
      void start(message);
      break;
    case 'connection':
      takeConnection(message.connection, socket);
      break;
    case 'configure':
      app?.configure(message.config);
      break;
    case 'drain':
      app?.drain();
      break;
    case 'close':
      void close(message.graceMs);
      break;
    default:
      message satisfies never;
  }
}

// What comes over this channel is what the first process sends.
process.on('message', (message, handle) => take(message as ToWorker, handle as Socket | undefined));
