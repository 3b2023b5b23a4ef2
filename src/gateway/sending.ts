import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../wire/registry.ts';
import { type RequestFacts, scanRequest } from '../wire/request-facts.ts';
import { leavesUsageOpen, spliceUsageAsk } from '../wire/usage-ask.ts';
import { type AnswerTaker, AskedAnswer } from './asked-answer.ts';
import { dispatch } from './dispatch.ts';
import { EngineWatch, type WatchedBody } from './engine-watch.ts';
import { Forward, type ForwardOwner } from './forward.ts';
import type { Port } from './port.ts';
import type { RequestBody } from './request-body.ts';
import { isSigned } from './signed-body.ts';
import type { Upstream } from './upstreams.ts';

export interface Sent {
  request: IncomingMessage;
  target: string;
  isUpgrade: boolean;
}

export interface Asking {
  request: IncomingMessage;
  path: string;
  endpoint: Endpoint;
}

/**
 * How one request goes to its upstream: as it is; or with the question for usage in it, and then, if
 * it is refused for that, a second time as it is.
 */
export class Sending {
  readonly #port: Port;
  readonly #asking: Asking;
  readonly #taker: AnswerTaker;
  #forward: Forward | null = null;
  #upstream: Upstream | null = null;
  #isCancelled = false;
  #isAsked = false;
  /** What the client wrote, while it may have to be sent again. */
  #original: Buffer | null = null;

  constructor(port: Port, taker: AnswerTaker, asking: Asking) {
    this.#port = port;
    this.#taker = taker;
    this.#asking = asking;
  }

  /** The question may be put into this request, if its body leaves it open. */
  mayAsk(upstream: Upstream): boolean {
    return this.#isCompletion && upstream.usage.mayAsk(upstream.config) && !isSigned(this.#asking.request.headers);
  }

  send(upstream: Upstream, sent: Sent, body: Buffer | RequestBody): void {
    this.#dispatch(upstream, { ...sent, body }, this.#taker);
  }

  /** Sends the body with the question in it. False, and nothing was sent, where it may not be put. */
  ask(upstream: Upstream, sent: Sent, body: Buffer): boolean {
    if (body.length > this.#port.limits.body_buffer || !this.mayAsk(upstream)) return false;
    const scanned = scanRequest(body);
    if (scanned === null || !leavesUsageOpen(scanned.facts)) return false;
    if (upstream.usage.leavesUnasked(scanned.facts.model)) return false;
    const asked = spliceUsageAsk(body, scanned);
    if (asked === null || !this.#port.held.take(body.length)) return false;
    this.#original = body;
    this.#isAsked = true;
    const answer = new AskedAnswer({
      next: this.#taker,
      policy: upstream.usage,
      settled: () => this.release(),
      sendAgain: () => this.#sendAgain(upstream, sent, answer),
    });
    this.#dispatch(upstream, { ...sent, body: asked }, answer);
    return true;
  }

  /** A whole answer was relayed. What a server tells unasked, it need not be asked. */
  completed(facts: RequestFacts | null): void {
    if (this.#isAsked || this.#upstream === null || !this.#isCompletion || !leavesUsageOpen(facts)) return;
    const { hasUsage, isComplete, isStreamed } = this.#taker.heard();
    if (isComplete && isStreamed) this.#upstream.usage.heardUnasked(facts?.model ?? null, hasUsage);
  }

  /** Ends the request to the upstream at once. */
  cancel(): void {
    this.#isCancelled = true;
    this.#forward?.cancel();
  }

  resume(): void {
    this.#forward?.resume();
  }

  /** Nothing will be sent again. */
  release(): void {
    if (this.#original === null) return;
    this.#port.held.giveBack(this.#original.length);
    this.#original = null;
  }

  #sendAgain(upstream: Upstream, sent: Sent, answer: AskedAnswer): void {
    const original = this.#original;
    if (original === null || this.#isCancelled) return;
    // Where the refusal is not over, its connection is of no more use.
    this.#forward?.cancel();
    this.#dispatch(upstream, { ...sent, body: original }, answer);
  }

  #dispatch(upstream: Upstream, sent: Sent & { body: Buffer | RequestBody }, owner: ForwardOwner): void {
    const forward = new Forward(owner);
    if (upstream.usage.watchesAnswer(upstream.config)) {
      const watch = { policy: upstream.usage, body: this.#watchedBody(), onDone: () => forward.handOver(owner) };
      forward.handOver(new EngineWatch(owner, watch));
    }
    this.#upstream = upstream;
    this.#forward = forward;
    dispatch(upstream, sent, forward);
  }

  #watchedBody(): WatchedBody {
    const { endpoint, path } = this.#asking;
    if (this.#isCompletion) return 'completion';
    return endpoint.api === 'other' && path.endsWith('/models') ? 'models' : null;
  }

  /** The API whose `stream_options` it is. */
  get #isCompletion(): boolean {
    const { api } = this.#asking.endpoint;
    return api === 'openai.chat' || api === 'openai.completions';
  }
}
