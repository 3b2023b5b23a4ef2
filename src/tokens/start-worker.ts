import { Worker } from 'node:worker_threads';
import { tuneCollector } from '../v8-flags.ts';

/**
 * A thread with its encoding takes some 10 MB. A count that needs this much
 * is a fault, and ends its thread only.
 */
const MEMORY_LIMIT_MB = 256;
/** For what dies young: a piece of text and its words. Left alone it would grow to 48 MB, which the thread would keep. */
const YOUNG_MB = 1;

/**
 * Starts the worker that stands beside this file. In the built product that is `worker.js`, and nothing
 * more is needed. From sources it is `worker.ts`, which Node 20 cannot run, and neither vitest's
 * transforms nor tsx's hooks reach into a worker: so that thread registers tsx for itself.
 */
export function startWorker(): Worker {
  const worker = beside();
  // V8 sets flags of the whole process anew while it makes a thread's heap.
  worker.once('online', tuneCollector);
  return worker;
}

function beside(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_LIMIT_MB, maxYoungGenerationSizeMb: YOUNG_MB };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./worker.js', import.meta.url), { resourceLimits });
  const execArgv = ['--import', registerTsx()];
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits, execArgv });
}

/** A module that lets its thread import TypeScript. `--import tsx` does so on the main thread only. */
function registerTsx(): string {
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  return `data:text/javascript,import { register } from ${tsx}; register();`;
}
