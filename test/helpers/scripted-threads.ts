import { Worker } from 'node:worker_threads';

/** Threads that run a line of their own in place of the counting worker. */
function threadOf(onMessage: string, limits = {}): Worker {
  const script = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => { ${onMessage} });`;
  return new Worker(script, { eval: true, ...limits });
}

export const silentThread = (): Worker => threadOf('');
export const failingThread = (): Worker => threadOf("throw new Error('as scripted')");
/** Says that it counts, and never comes back: what only `terminate` ends. */
export const stuckThread = (): Worker =>
  threadOf("parentPort.postMessage({ kind: 'counting', hasLoaded: false }); for (;;);");
/** Asks for more memory than it may have. */
export const greedyThread = (): Worker =>
  threadOf('const all = []; for (;;) all.push(new Array(10_000).fill(0.5));', {
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
