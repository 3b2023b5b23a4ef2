import type { DegradeReason } from '../wire/facts.ts';
import type { RequestFacts } from '../wire/request-facts.ts';
import { type AnswerListener, AnswerMeter } from './answer-meter.ts';
import { finalCount, settlementOf } from './final-count.ts';
import type { LiveAccount } from './live-account.ts';
import type { MeterParts, RequestOpening } from './opening.ts';
import { type Ending, outcomeOf } from './outcome.ts';
import type { Phase, UsageRecord } from './record.ts';
import { writeRecord } from './record-writer.ts';

/** The head of the upstream's final answer. */
export interface MeteredHead {
  status: number;
  /** Lower case, without parameters; empty when absent. */
  mediaType: string;
  /** Lower case; empty or `identity` when the body is plain. */
  contentEncoding: string;
  upstreamRequestId: string | null;
}

/** Media types that come in events whoever sends them. */
const STREAMED_TYPES = new Set(['text/event-stream', 'application/x-ndjson', 'application/vnd.amazon.eventstream']);

/**
 * The life of one request. The gateway drives it with what happened and when (CONTRACT §1: `t0`,
 * `t_body`, first byte, end); its phases follow, and it ends exactly once, with one frozen record.
 */
export class RequestMeter implements AnswerListener {
  readonly #opening: RequestOpening;
  readonly #parts: MeterParts;
  readonly #account: LiveAccount;
  readonly #answer: AnswerMeter;
  #phase: Phase | null = null;
  #requestedModel: string | null;
  #answeredModel: string | null = null;
  #confirmed = false;
  #user: string | null = null;
  #status = 0;
  #streamed = false;
  #upstreamRequestId: string | null = null;
  #bodyEndMs: number | null = null;
  #firstByteMs: number | null = null;
  #requestBytes = 0;
  #responseBytes = 0;
  #clientBlockedMs = 0;
  #finished = false;

  constructor(opening: RequestOpening, parts: MeterParts) {
    this.#opening = opening;
    this.#parts = parts;
    this.#account = parts.account;
    this.#answer = new AnswerMeter(this);
    this.#requestedModel = opening.requestedModelFromPath;
  }

  /** The top-level keys of the request body, once known; null when it is not readable JSON. Enters the first phase. */
  body(facts: RequestFacts | null): void {
    if (this.#finished) return;
    this.#requestedModel = facts?.model ?? this.#requestedModel;
    this.#account.requested(this.#requestedModel);
    if (!this.#opening.generation || this.#phase !== null) return;
    const streams = facts?.stream ?? this.#opening.streamsByDefault;
    this.#enter(streams ? 'prefill' : 'unstreamed', this.#parts.clock.nowMs());
  }

  user(name: string | null): void {
    this.#user = name;
  }

  /** The last byte of the request body was received: `t_body`, from which TTFB and TTFT are measured. */
  bodyEnded(bytes: number, atMs: number): void {
    this.#requestBytes = bytes;
    this.#bodyEndMs = atMs;
    if (this.#phase === null) this.body(null);
  }

  answerHead(head: MeteredHead, atMs: number): void {
    this.#status = head.status;
    this.#upstreamRequestId = head.upstreamRequestId;
    this.#streamed = STREAMED_TYPES.has(head.mediaType);
    if (this.#parts.dialect === null) return;
    if (head.contentEncoding !== '' && head.contentEncoding !== 'identity') {
      this.degraded('unsupported_encoding');
      return;
    }
    this.#answer.open(this.#parts.dialect, head, this.#parts.eventBytes);
    this.#followShape(atMs);
  }

  /** Bytes of the answer that were read at `atMs` and are already on their way to the client. */
  chunk(bytes: Uint8Array, atMs: number): void {
    if (this.#finished) return;
    this.#responseBytes += bytes.length;
    this.#firstByteMs ??= atMs;
    this.#answer.push(bytes, atMs);
  }

  /** The client's socket was full for this long while the upstream had more to send. */
  clientBlocked(ms: number): void {
    this.#clientBlockedMs += ms;
  }

  /** Ends the request. The first call wins and returns the record; later ones return null. */
  finish(ending: Ending, atMs: number): UsageRecord | null {
    if (this.#finished) return null;
    const answer = this.#answer;
    answer.end(ending.kind === 'upstream_end');
    this.#followShape(atMs);
    this.#finished = true;
    const outcome = outcomeOf(ending, {
      read: answer.read,
      streamed: answer.streamed,
      complete: answer.complete,
      failed: answer.hasFailed,
    });
    if (outcome === 'complete') this.#confirm();
    const count = finalCount(answer, { outcome, estimates: this.#parts.estimates }, this.#account);
    const startMs = this.#bodyEndMs ?? this.#opening.t0Ms;
    this.#account.settle(settlementOf(count, answer, { fromMs: startMs, toMs: atMs }));
    if (this.#phase !== null) this.#account.phase(null, atMs);
    const finished = writeRecord(
      {
        opening: this.#opening,
        parts: this.#parts,
        account: this.#account,
        answer,
        ending,
        outcome,
        endMs: atMs,
        bodyEndMs: this.#bodyEndMs,
        firstByteMs: this.#firstByteMs,
        requestBytes: this.#requestBytes,
        responseBytes: this.#responseBytes,
        clientBlockedMs: this.#clientBlockedMs,
        streamed: this.#streamed,
        user: this.#user,
        model: this.#answeredModel ?? (this.#confirmed ? this.#requestedModel : null),
        requestedModel: this.#requestedModel,
        upstreamRequestId: this.#upstreamRequestId,
      },
      count,
    );
    this.#parts.onFinish(finished);
    return finished.record;
  }

  modelNamed(name: string): void {
    if (this.#answeredModel !== null) return;
    this.#answeredModel = name;
    this.#confirm();
  }

  tokensArrived(characters: number, atMs: number): void {
    this.#confirm();
    this.#followShape(atMs);
    if (!this.#streamed) return;
    const timing = this.#answer.timing;
    if (timing.chunks === 1) {
      if (this.#phase !== null) this.#enter('decode', atMs);
      if (this.#bodyEndMs !== null && atMs >= this.#bodyEndMs) {
        this.#parts.onFirstToken(this.#account.labels, atMs - this.#bodyEndMs);
      }
    }
    const usage = this.#answer.usageSeen;
    this.#account.emitted(characters, usage.coversAll ? usage.outputTokens : null, atMs);
  }

  degraded(reason: DegradeReason): void {
    this.#parts.onDegraded(reason);
  }

  /** What came decides, not what was asked for: a server may ignore `stream` either way. */
  #followShape(atMs: number): void {
    if (!this.#answer.read) return;
    this.#streamed = this.#answer.streamed;
    if (this.#phase === null || this.#phase === 'decode') return;
    this.#enter(this.#streamed ? 'prefill' : 'unstreamed', atMs);
  }

  /** A 2xx answer stands for the requested model (CONTRACT §7): only then does its name become a label. */
  #confirm(): void {
    if (this.#confirmed || this.#status < 200 || this.#status >= 300) return;
    this.#confirmed = true;
    this.#account.confirmModel(this.#answeredModel);
  }

  #enter(phase: Phase, atMs: number): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#account.phase(phase, atMs);
  }
}
