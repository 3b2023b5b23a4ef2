import { Worker } from 'node:worker_threads';
import type { Question } from '../../src/tokens/protocol.ts';

/** Threads that run a line of their own in place of the counting worker. */
function threadOf(onMessage: string, limits = {}): Worker {
  const script = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => { ${onMessage} });`;
  return new Worker(script, { eval: true, ...limits });
}

export const silentThread = (): Worker => threadOf('');
export const failingThread = (): Worker => threadOf("throw new Error('as scripted')");
/** Says that it counts, and never comes back: what only `terminate` ends. */
export const stuckThread = (): Worker => threadOf("parentPort.postMessage({ kind: 'counting' }); for (;;);");
/** Answers the first question after a fifth of a second with one token, every other at once with two. */
export const lateOnceThread = (): Worker =>
  threadOf(`
    const answer = (tokens) => parentPort.postMessage({ kind: 'counted', result: { outputTokens: tokens } });
    if (globalThis.wasAsked) answer(2);
    else setTimeout(() => answer(1), 200);
    globalThis.wasAsked = true;
  `);
/** Asks for more memory than it may have. */
export const greedyThread = (): Worker =>
  threadOf('const all = []; for (;;) all.push(new Array(10_000).fill(0.5));', {
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });

/** The same thread; what it is asked is written down. */
export function heard(thread: Worker, asked: Question[]): Worker {
  const post = thread.postMessage.bind(thread);
  thread.postMessage = (question: Question) => {
    asked.push(question);
    post(question);
  };
  return thread;
}
