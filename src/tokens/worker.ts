import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { CountBudget, sharedMs } from './count-budget.ts';
import { countText } from './count-text.ts';
import { threadCpuTime } from './cpu-time.ts';
import { type EncodingName, encodingOf } from './encoding.ts';
import type { Question, Reply } from './protocol.ts';
import { loadVocabulary, type Vocabulary } from './vocabulary.ts';

/**
 * The thread that counts. It answers questions one at a time and loads an encoding when it is told to
 * or first needs it. Nothing is caught: a fault ends this thread and nothing else, and the counter
 * starts another.
 */

/** On Linux a priority belongs to a thread: where cores are few, the one that relays goes first. */
const LOWER_BY = 5;
const LOWEST = 19;

const clocks = { cpuMs: threadCpuTime(), sharedMs };
/** Promises, so that an encoding that is being loaded is not loaded again. */
const vocabularies = new Map<EncodingName, Promise<Vocabulary>>();

async function answer(question: Question): Promise<void> {
  if (question.kind === 'load') {
    await vocabularyOf(question.encoding);
    return;
  }
  const { request, limits } = question;
  const encoding = encodingOf(request.model);
  const vocabulary = await vocabularyOf(encoding.name);
  reply({ kind: 'counting' });
  const budget = new CountBudget(limits, clocks);
  reply({ kind: 'counted', result: countText(request, { encoding, vocabulary, budget }) });
}

function vocabularyOf(name: EncodingName): Promise<Vocabulary> {
  const isFirst = vocabularies.size === 0;
  const vocabulary = vocabularies.get(name) ?? loadVocabulary(name);
  vocabularies.set(name, vocabulary);
  // Not before: on a busy machine the first encoding would not be there for seconds, and records do not wait.
  if (isFirst) void vocabulary.then(lowerPriority);
  return vocabulary;
}

function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(Math.min(LOWEST, getPriority() + LOWER_BY));
}

function reply(message: Reply): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (question: Question) => {
  // A rejection becomes an uncaught error of this thread, which is what ends it.
  void answer(question);
});
