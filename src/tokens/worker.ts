import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { countText } from './count-text.ts';
import { type EncodingName, encodingOf } from './encoding.ts';
import type { Question, Reply } from './protocol.ts';
import { loadVocabulary, type Vocabulary } from './vocabulary.ts';

/**
 * The thread that counts. It answers questions one at a time and loads an encoding when it first needs
 * it. Nothing is caught: a fault ends this thread and nothing else, and the counter starts another.
 */

/** On Linux a priority belongs to a thread: where cores are few, the one that relays goes first. */
const LOWER_PRIORITY = 5;
if (process.platform === 'linux') setPriority(LOWER_PRIORITY);

const vocabularies = new Map<EncodingName, Vocabulary>();

async function answer({ request, budgetMs }: Question): Promise<void> {
  const encoding = encodingOf(request.model);
  const loaded = vocabularies.get(encoding.name);
  const vocabulary = loaded ?? (await loadVocabulary(encoding.name));
  vocabularies.set(encoding.name, vocabulary);
  reply({ kind: 'counting', hasLoaded: loaded === undefined });
  reply({ kind: 'counted', result: countText(request, { encoding, vocabulary, budgetMs, clock: systemClock }) });
}

function reply(message: Reply): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (question: Question) => {
  // A rejection becomes an uncaught error of this thread, which is what ends it.
  void answer(question);
});
