import type { AnswerHead, DegradeReason } from '../wire/facts.ts';
import type { RequestFacts } from '../wire/request-facts.ts';
import type { Stretch } from '../wire/stretch.ts';
import { beginsLikeGzip } from '../wire/unannounced-gzip.ts';
import { type AnswerListener, AnswerMeter } from './answer-meter.ts';
import { type ChunkReader, Waiting } from './backlog.ts';
import { type FinalCount, finalCount, settlementOf, sourceOfAnswer } from './final-count.ts';
import type { LiveAccount } from './live-account.ts';
import { KeptTexts, type LocalCount, type UncountedText } from './local-counting.ts';
import type { Decoded, Decoder, MeterParts, RequestOpening } from './opening.ts';
import { type Ending, outcomeOf } from './outcome.ts';
import type { Outcome, Phase, UsageSource } from './record.ts';
import { writeRecord } from './record-writer.ts';
import { type AnswerSoFar, answerSoFar, type RequestSoFar } from './so-far.ts';

/** The head of the upstream's final answer. */
export interface MeteredHead extends AnswerHead {
  /** Lower case; empty or `identity` when the body is plain. */
  contentEncoding: string;
  upstreamRequestId: string | null;
}

/** What an answer has said so far. */
export interface Heard {
  /** The upstream's own last word on its tokens. */
  hasUsage: boolean;
  /** The dialect's terminal marker, and no failure. */
  isComplete: boolean;
  isStreamed: boolean;
}

/** Media types that come in events whoever sends them. */
const STREAMED_TYPES = new Set(['text/event-stream', 'application/x-ndjson', 'application/vnd.amazon.eventstream']);

/**
 * The life of one request. The gateway drives it with what happened and when (CONTRACT §1: `t0`,
 * `t_body`, first byte, end); its phases follow, and it ends exactly once, with one frozen record.
 */
export class RequestMeter implements AnswerListener, ChunkReader, Decoded {
  readonly #opening: RequestOpening;
  readonly #parts: MeterParts;
  readonly #account: LiveAccount;
  readonly #answer: AnswerMeter;
  #phase: Phase | null = null;
  #requestedModel: string | null;
  #asksForStream: boolean | null = null;
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
  /** What may have to be counted here. */
  readonly #kept: KeptTexts | null;
  /** What is relayed and still to be read. */
  readonly #waiting = new Waiting(this);
  #decoder: Decoder | null = null;
  #isEnding = false;

  constructor(opening: RequestOpening, parts: MeterParts) {
    this.#opening = opening;
    this.#parts = parts;
    this.#account = parts.account;
    this.#answer = new AnswerMeter(this);
    this.#requestedModel = opening.requestedModelFromPath;
    const { localCounting, estimates, dialect } = parts;
    const isCountable = estimates && opening.generation && dialect !== null;
    this.#kept = isCountable && localCounting !== null ? new KeptTexts(localCounting) : null;
    this.#answer.kept = this.#kept?.output ?? null;
  }

  /** The top-level keys of the request body, once known; null when it is not readable JSON. Enters the first phase. */
  body(facts: RequestFacts | null): void {
    if (this.#isEnding) return;
    this.#requestedModel = facts?.model ?? this.#requestedModel;
    this.#account.requested(this.#requestedModel);
    this.#account.asksForUsage(facts?.setsUsage ?? false);
    this.#answer.expect(facts);
    const { streamsByDefault } = this.#opening;
    this.#asksForStream = facts?.stream ?? (facts === null && !streamsByDefault ? null : streamsByDefault);
    if (!this.#opening.generation || this.#phase !== null) return;
    // Where the upstream counts, a count of our own is so rare that the first may come without its encoding.
    if (this.#kept !== null && !this.#account.expectsReport) this.#parts.localCounting?.prepare(this.#requestedModel);
    this.#enter(this.#asksForStream ? 'prefill' : 'unstreamed', this.#parts.clock.nowMs());
  }

  /** The request body as it was sent, if it is at hand: kept where it may have to be counted. */
  prompt(json: Uint8Array): void {
    if (!this.#isEnding) this.#kept?.prompt(json);
  }

  user(name: string | null): void {
    this.#user = name;
    this.#account.user = name;
  }

  /** The last byte of the request body was received: `t_body`, from which TTFB and TTFT are measured. */
  bodyEnded(bytes: number, atMs: number): void {
    this.#requestBytes = bytes;
    this.#bodyEndMs = atMs;
    if (this.#phase === null) this.body(null);
    this.#expectToken();
  }

  /** So many bytes of the request body have come, whether it is complete or not. */
  bodyReceived(bytes: number): void {
    this.#requestBytes = bytes;
  }

  answerHead(head: MeteredHead, atMs: number): void {
    this.#status = head.status;
    this.#upstreamRequestId = head.upstreamRequestId;
    this.#streamed = STREAMED_TYPES.has(head.mediaType);
    if (this.#parts.dialect === null) return;
    // Where the framing leaves no room for a body, there is no marker to miss.
    if (head.status === 204 || head.status === 304 || head.header('content-length') === '0') {
      this.#followShape(atMs);
      return;
    }
    if (head.contentEncoding !== '' && head.contentEncoding !== 'identity') {
      this.#decoder = this.#parts.openDecoder(head.contentEncoding, this);
      if (this.#decoder === null) {
        this.degraded('unsupported_encoding');
        return;
      }
    }
    this.#answer.open(this.#parts.dialect, head, this.#parts.eventBytes);
    this.#followShape(atMs);
  }

  /** Bytes of the answer that were read at `atMs` and are already on their way to the client. */
  chunk(bytes: Uint8Array, atMs: number): void {
    if (this.#isEnding) return;
    if (this.#firstByteMs === null) {
      this.#firstByteMs = atMs;
      if (this.#answer.read && this.#decoder === null && beginsLikeGzip(bytes))
        this.#decoder = this.#parts.openDecoder('gzip', this);
    }
    this.#responseBytes += bytes.length;
    if (this.#decoder !== null) this.#decoder.push(bytes, atMs);
    // Once output comes, nothing that is still to be read changes the phase: it may wait.
    else if (this.#phase === 'decode') this.#parts.backlog.add(this.#waiting, bytes, atMs);
    else this.#answer.push(bytes, atMs);
  }

  read(bytes: Stretch, atMs: number): void {
    this.#answer.take(bytes, atMs);
  }

  /** Of an encoded answer, what is taken apart by now. */
  get heard(): Heard {
    this.#parts.backlog.catchUp();
    const { usageSeen, complete, hasFailed, streamed } = this.#answer;
    return { hasUsage: usageSeen.final, isComplete: complete && !hasFailed, isStreamed: streamed };
  }

  /** What its record would say if the request ended now, in plain data. */
  get soFar(): { request: RequestSoFar; answer: AnswerSoFar } {
    this.#parts.backlog.catchUp();
    return { request: this.#requestSoFar(), answer: answerSoFar(this.#answer) };
  }

  /** The client's socket was full for this long while the upstream had more to send. */
  clientBlocked(ms: number): void {
    this.#clientBlockedMs += ms;
  }

  /**
   * Ends the request; the first call wins. The record follows at once, or as soon as what came
   * encoded is read and what nobody counted is counted.
   */
  finish(ending: Ending, atMs: number): void {
    if (this.#isEnding) return;
    this.#parts.backlog.catchUp();
    this.#isEnding = true;
    if (this.#phase !== null) this.#account.phase(null, atMs);
    if (this.#decoder === null) this.#conclude(ending, atMs);
    else this.#decoder.end(() => this.#conclude(ending, atMs));
  }

  modelNamed(name: string): void {
    if (this.#answeredModel !== null) return;
    this.#answeredModel = name;
    this.#confirm();
  }

  tokensArrived(characters: number, atMs: number): void {
    const { timing } = this.#answer;
    if (timing.chunks === 1) {
      this.#confirm();
      this.#followShape(atMs);
    }
    if (!this.#streamed) return;
    if (timing.chunks === 1) {
      if (this.#phase !== null) this.#enter('decode', atMs);
      if (this.#bodyEndMs !== null && atMs >= this.#bodyEndMs) {
        this.#parts.onFirstToken(this.#account.labels, atMs - this.#bodyEndMs);
      }
    }
    const { running } = this.#answer.usageSeen;
    // Without estimates, what nobody may ever report is not counted early.
    if (running === null && !this.#parts.estimates && !this.#account.expectsReport) return;
    this.#account.emitted(characters, running, atMs);
  }

  degraded(reason: DegradeReason): void {
    this.#expectToken();
    this.#parts.onDegraded(reason);
  }

  plain(bytes: Uint8Array, atMs: number): void {
    this.#answer.push(bytes, atMs);
  }

  /** What came encoded can be read no further; the relay does not care. */
  failed(isBroken: boolean): void {
    this.#answer.breakOff({ isBroken });
    this.degraded('inflate_failed');
  }

  #conclude(ending: Ending, endMs: number): void {
    const answer = this.#answer;
    answer.end(ending.kind === 'upstream_end');
    this.#followShape(endMs);
    const outcome = outcomeOf(ending, {
      read: answer.read,
      complete: answer.complete,
      failed: answer.hasFailed,
    });
    if (outcome === 'complete') this.#confirm();
    const source = sourceOfAnswer(answer, { outcome, estimates: this.#parts.estimates });
    const uncounted = this.#uncounted(source);
    const write = (local: LocalCount | null) => {
      const count = finalCount(answer, source, { account: this.#account, local });
      if (count.localCount !== null && this.#kept !== null) this.#parts.localCounting?.onResult(count.localCount);
      this.#write({ ending, outcome, endMs, count });
    };
    const counting = uncounted === null ? undefined : this.#parts.localCounting?.count(uncounted);
    if (counting === undefined) write(null);
    else void counting.then(write).catch(() => this.degraded('meter_error'));
  }

  /** The texts that only a local count can count; null where there are none, or none were kept. */
  #uncounted(source: UsageSource): UncountedText | null {
    const { usageSeen } = this.#answer;
    const isEstimated = source === 'estimated';
    const texts = this.#kept?.take({
      output: isEstimated && usageSeen.running === null,
      input: isEstimated && usageSeen.inputTokens === null,
    });
    return texts ? { model: this.#answeredModel ?? this.#requestedModel, ...texts } : null;
  }

  #write({
    ending,
    outcome,
    endMs,
    count,
  }: {
    ending: Ending;
    outcome: Outcome;
    endMs: number;
    count: FinalCount;
  }): void {
    const fromMs = this.#bodyEndMs ?? this.#opening.t0Ms;
    const isWhole = outcome === 'complete';
    this.#account.settle(settlementOf(count, this.#answer, { fromMs, toMs: endMs, isWhole }));
    const { finished, judged } = writeRecord(
      {
        opening: this.#opening,
        parts: this.#parts,
        account: this.#account,
        answer: this.#answer,
        ending,
        outcome,
        endMs,
        ...this.#requestSoFar(),
      },
      count,
    );
    this.#account.judged(judged);
    this.#parts.onFinish(finished);
  }

  #requestSoFar(): RequestSoFar {
    return {
      bodyEndMs: this.#bodyEndMs,
      firstByteMs: this.#firstByteMs,
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      clientBlockedMs: this.#clientBlockedMs,
      streamed: this.#streamed,
      asksForStream: this.#asksForStream,
      isAnswered: this.#status !== 0,
      status: this.#status,
      user: this.#user,
      model: this.#answeredModel ?? (this.#confirmed ? this.#requestedModel : null),
      requestedModel: this.#requestedModel,
      upstreamRequestId: this.#upstreamRequestId,
    };
  }

  /** What came decides, not what was asked for: a server may ignore `stream` either way. */
  #followShape(atMs: number): void {
    if (!this.#answer.read) {
      this.#expectToken();
      return;
    }
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
    if (this.#phase === phase || this.#isEnding) return;
    this.#phase = phase;
    this.#account.phase(phase, atMs);
    if (phase === 'prefill') this.#expectToken();
  }

  /** A stream that is stuck in its prefill misses its target before it ends. In an answer that is not read no token is seen. */
  #expectToken(): void {
    const targetMs = this.#opening.targets?.ttft ?? null;
    if (targetMs === null || this.#bodyEndMs === null || this.#phase !== 'prefill') return;
    const isUnread = this.#status !== 0 && !this.#answer.read;
    this.#account.firstTokenDue(isUnread ? null : this.#bodyEndMs + targetMs);
  }
}
