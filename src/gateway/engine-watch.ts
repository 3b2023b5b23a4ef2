import type { Duplex } from 'node:stream';
import type { ReceivedHead } from './answer-head.ts';
import { engineOfCompletion, engineOfHead, engineOfModels, type RecognisedEngine } from './engine-signs.ts';
import type { ForwardOwner } from './forward.ts';
import type { Failure } from './outcome.ts';
import type { UsagePolicy } from './usage-policy.ts';

/** What of one answer is read for signs. Some stand only in the last event of a stream. */
const READ_BYTES = 64 * 1024;
/** A sign is shorter than this; so much of one read is looked at again with the next, which may hold its end. */
const SIGN_BYTES = 128;
const OK = 200;

/** What is read for signs behind the head: completions and lists of models, or nothing. */
export type WatchedBody = 'completion' | 'models' | null;

/**
 * Looks at an answer that passes for signs of who sent it. Nothing is ever asked of the server for
 * it (CONTRACT §9). Once there is nothing more to look for it takes itself out of the way.
 */
export class EngineWatch implements ForwardOwner {
  readonly #next: ForwardOwner;
  readonly #policy: UsagePolicy;
  readonly #body: WatchedBody;
  readonly #onDone: () => void;
  #readBytes = 0;
  /** What may be needed with the next read: of a list of models, everything. */
  #text = '';

  constructor(next: ForwardOwner, parts: { policy: UsagePolicy; body: WatchedBody; onDone: () => void }) {
    this.#next = next;
    this.#policy = parts.policy;
    this.#body = parts.body;
    this.#onDone = parts.onDone;
  }

  answered(head: ReceivedHead): void {
    const engine = engineOfHead(head.rawHeaders);
    if (engine !== null) this.#policy.recognised(engine);
    if (engine !== null || this.#body === null || head.status !== OK) this.#onDone();
    this.#next.answered(head);
  }

  relayed(bytes: Buffer, shown = bytes, framed: Buffer | null = null): boolean {
    const isOpen = this.#next.relayed(bytes, shown, framed);
    const read = bytes.toString('latin1', 0, READ_BYTES - this.#readBytes);
    this.#readBytes += read.length;
    this.#text += read;
    if (this.#body === 'completion') {
      this.#look(engineOfCompletion(this.#text));
      this.#text = this.#text.slice(-SIGN_BYTES);
    }
    if (this.#readBytes >= READ_BYTES) this.#onDone();
    return isOpen;
  }

  completed(trailers: readonly Buffer[]): void {
    // Only the whole list tells that all of it has one owner.
    if (this.#body === 'models') this.#look(engineOfModels(this.#text));
    this.#next.completed(trailers);
  }

  switched(status: number, rawHeaders: readonly Buffer[], socket: Duplex): void {
    this.#next.switched(status, rawHeaders, socket);
  }

  failed(failure: Failure): void {
    this.#next.failed(failure);
  }

  #look(engine: RecognisedEngine | null): void {
    if (engine === null) return;
    this.#policy.recognised(engine);
    this.#onDone();
  }
}
