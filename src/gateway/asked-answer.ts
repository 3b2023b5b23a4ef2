import type { Duplex } from 'node:stream';
import type { Heard } from '../meter/request-meter.ts';
import { AddedUsageRemover } from '../wire/added-usage.ts';
import { beginsLikeGzip } from '../wire/unannounced-gzip.ts';
import { fieldOf, type ReceivedHead } from './answer-head.ts';
import type { ForwardOwner } from './forward.ts';
import type { Failure } from './outcome.ts';
import { Refusal } from './refusal.ts';
import type { UsagePolicy } from './usage-policy.ts';

/** How servers turn away a body with a member they do not know (FAULTS B03). */
const REFUSALS = new Set([400, 422]);
const QUESTION = 'stream_options';
const NOTHING = Buffer.alloc(0);

/** The client's side of an answer. */
export interface AnswerTaker extends ForwardOwner {
  /** What the meter has read of the answer so far. */
  heard(): Heard;
}

export interface AskedParts {
  next: AnswerTaker;
  policy: UsagePolicy;
  /** Sends the request once more, as the client wrote it; what still comes of the first is dropped. */
  sendAgain(): void;
  /** It will not be sent again: nothing needs to be kept for that. */
  settled(): void;
}

/**
 * The answer to a request into which Pitot put the question for usage (CONTRACT §6.6). The client
 * gets the answer to what it wrote: without the added chunk, and without a refusal of the question.
 */
export class AskedAnswer implements ForwardOwner {
  readonly #parts: AskedParts;
  #refusal: Refusal | null = null;
  #remover: AddedUsageRemover | null = null;
  #isSentAgain = false;
  #hasBegun = false;

  constructor(parts: AskedParts) {
    this.#parts = parts;
  }

  answered(head: ReceivedHead): void {
    const { next, policy, settled } = this.#parts;
    const isSuccess = head.status >= 200 && head.status < 300;
    if (!this.#isSentAgain && REFUSALS.has(head.status)) {
      this.#refusal = new Refusal(head);
      return;
    }
    settled();
    if (!isSuccess) next.answered(head);
    else if (this.#isSentAgain) {
      policy.servedUnasked();
      next.answered(head);
    } else if (isEncoded(head)) {
      policy.compressed();
      next.answered(head);
    } else this.#relayWithout(head);
  }

  relayed(bytes: Buffer, _shown = bytes, framed: Buffer | null = null): boolean {
    const { next, policy } = this.#parts;
    if (this.#remover !== null && !this.#hasBegun && beginsLikeGzip(bytes)) {
      policy.compressed();
      this.#remover = null;
    }
    this.#hasBegun = true;
    if (this.#remover !== null) {
      const shown = this.#remover.push(bytes);
      return next.relayed(bytes, shown, shown === bytes ? framed : null);
    }
    if (this.#refusal === null) return next.relayed(bytes, bytes, framed);
    this.#refusal.add(bytes);
    if (!this.#refusal.isFull || this.#retries(this.#refusal)) return true;
    return this.#deliver(this.#refusal);
  }

  completed(trailers: readonly Buffer[]): void {
    if (this.#refusal !== null) {
      if (this.#retries(this.#refusal)) return;
      this.#deliver(this.#refusal);
    }
    if (this.#remover !== null) this.#conclude(this.#remover);
    this.#parts.next.completed(trailers);
  }

  switched(status: number, rawHeaders: readonly Buffer[], socket: Duplex): void {
    this.#parts.next.switched(status, rawHeaders, socket);
  }

  failed(failure: Failure): void {
    if (this.#refusal !== null) {
      if (this.#retries(this.#refusal)) return;
      this.#deliver(this.#refusal);
    }
    if (this.#remover !== null) this.#flush(this.#remover);
    this.#parts.next.failed(failure);
  }

  /** Its length would not be right without the chunk; the answer's end is told by its framing instead. */
  #relayWithout(head: ReceivedHead): void {
    const { next } = this.#parts;
    // One JSON text of known length is no stream, nor is nothing; without a length, some servers call their streams so, too.
    const isWhole = fieldOf(head.rawHeaders, 'content-type').startsWith('application/json');
    const length = fieldOf(head.rawHeaders, 'content-length');
    if ((isWhole && length !== '') || length === '0') {
      next.answered(head);
      return;
    }
    this.#remover = new AddedUsageRemover();
    const rawHeaders: Buffer[] = [];
    for (let at = 0; at + 1 < head.rawHeaders.length; at += 2) {
      const [name = NOTHING, value = NOTHING] = head.rawHeaders.slice(at, at + 2);
      if (name.toString('latin1').toLowerCase() !== 'content-length') rawHeaders.push(name, value);
    }
    next.answered({ ...head, rawHeaders });
  }

  #retries(refusal: Refusal): boolean {
    if (!refusal.names(QUESTION)) return false;
    this.#refusal = null;
    this.#isSentAgain = true;
    this.#parts.policy.refused();
    this.#parts.sendAgain();
    return true;
  }

  /** It is about something else, or was cut before it said what: the client's to see. */
  #deliver(refusal: Refusal): boolean {
    const { next, settled } = this.#parts;
    this.#refusal = null;
    settled();
    next.answered(refusal.head);
    return refusal.body.length === 0 || next.relayed(refusal.body);
  }

  #conclude(remover: AddedUsageRemover): void {
    this.#flush(remover);
    const { hasUsage, isComplete, isStreamed } = this.#parts.next.heard();
    if (remover.removed > 0) this.#parts.policy.heardAsked(true);
    else if (isStreamed && (hasUsage || isComplete)) this.#parts.policy.heardAsked(hasUsage);
  }

  #flush(remover: AddedUsageRemover): void {
    const rest = remover.end();
    if (rest.length > 0) this.#parts.next.relayed(NOTHING, rest);
  }
}

function isEncoded(head: ReceivedHead): boolean {
  const encoding = fieldOf(head.rawHeaders, 'content-encoding');
  return encoding !== '' && encoding !== 'identity';
}
