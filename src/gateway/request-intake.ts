import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../errors.ts';
import type { Endpoint } from '../wire/registry.ts';
import { type RequestFacts, readRequestFacts } from '../wire/request-facts.ts';
import { BodyPrefix } from './body-prefix.ts';
import type { Port } from './port.ts';
import { type BodyListener, RequestBody } from './request-body.ts';
import { hasBody } from './request-head.ts';
import type { Upstream } from './upstreams.ts';

const NOTHING = Buffer.alloc(0);

/** Who learns what the request says and where it goes. */
export interface IntakeOwner {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly t0Ms: number;
  readonly isOver: boolean;
  /** The upstream is known. Comes first, and once. */
  routed(upstream: Upstream): void;
  /**
   * What the top level of the body says; null when it says nothing. Comes once, before `bodyReceived`.
   * `whole`: the body itself, where all of it was kept to be read.
   */
  factsRead(facts: RequestFacts | null, whole: Buffer | null): void;
  bodyReceived(bytes: number, atMs: number): void;
  /** The body, or as much of it as there is yet, may go to the upstream. */
  send(body: Buffer | RequestBody): void;
  reject(code: ErrorCode): void;
  clientLeft(): void;
}

/**
 * Receives one request: finds its upstream, which can hang on the model its body names, and sees that
 * the body is handed on as the bytes that came. What came in one piece with the head, the usual case,
 * is handed on as one buffer; the rest as a stream.
 */
export class RequestIntake implements BodyListener {
  readonly #port: Port;
  readonly #owner: IntakeOwner;
  #body: RequestBody | null = null;
  #prefix: BodyPrefix | null = null;
  #isWhole = false;
  /** Not yet routed: everything received is held. */
  #isHeld = false;
  #heldBytes = 0;

  constructor(port: Port, owner: IntakeOwner) {
    this.#port = port;
    this.#owner = owner;
  }

  start(): void {
    const { request } = this.#owner;
    request.on('error', () => this.#owner.clientLeft());
    if (!hasBody(request)) this.#whole(NOTHING, this.#owner.t0Ms);
    // The parser hands over what came with the head right after it has announced the head.
    else process.nextTick(() => this.#receive());
  }

  /** The client has sent everything. */
  get isComplete(): boolean {
    return this.#isWhole || this.#owner.request.complete;
  }

  /** The exchange is over: what is still to come is of no interest. */
  stop(): void {
    this.#letGo();
    this.#prefix = null;
    this.#body?.destroy();
  }

  bodyChunk(bytes: Buffer): void {
    this.#prefix?.add(bytes);
    if (this.#isHeld) this.#lookForModel(bytes.length);
    else if (this.#prefix?.isFull) this.#readPrefix();
  }

  bodyEnded(bytes: number): void {
    if (this.#owner.isOver) return;
    const atMs = this.#port.clock.nowMs();
    if (this.#isHeld) {
      const facts = this.#prefix?.facts() ?? null;
      if (!this.#route(facts?.model ?? null)) return;
    }
    this.#readPrefix(true);
    this.#owner.bodyReceived(bytes, atMs);
  }

  #receive(): void {
    const { request, isOver } = this.#owner;
    if (isOver) return;
    // Only later will the parser say that the body is complete; its length says it now.
    if (request.readableLength === Number(request.headers['content-length'])) {
      this.#whole(request.read() ?? NOTHING, this.#port.clock.nowMs());
      request.resume();
      return;
    }
    const upstream = this.#find(undefined);
    this.#isHeld = upstream === 'by-model';
    const { body_buffer, body_prefix } = this.#port.limits;
    this.#prefix = new BodyPrefix(this.#isHeld ? body_buffer : body_prefix);
    this.#body = new RequestBody(request, this, this.#isHeld);
    if (upstream === null) this.#owner.reject('PITOT_NO_UPSTREAM');
    else if (upstream !== 'by-model') this.#go(upstream);
  }

  #whole(body: Buffer, atMs: number): void {
    this.#isWhole = true;
    const { body_buffer, body_prefix } = this.#port.limits;
    const isByModel = this.#find(undefined) === 'by-model';
    const prefix = body.subarray(0, isByModel ? body_buffer : body_prefix);
    const facts = prefix.length === 0 ? null : readRequestFacts(prefix);
    const model = facts?.model ?? null;
    const upstream = this.#find(model);
    if (isByModel && model === null && body.length > body_buffer) this.#owner.reject('PITOT_MODEL_UNKNOWN');
    else if (upstream === null || upstream === 'by-model') this.#owner.reject('PITOT_NO_UPSTREAM');
    else {
      this.#owner.routed(upstream);
      this.#owner.factsRead(facts, facts === null ? null : body);
      this.#owner.bodyReceived(body.length, atMs);
      this.#owner.send(body);
    }
  }

  #lookForModel(bytes: number): void {
    const { body_buffer, body_buffer_total } = this.#port.limits;
    const fits = this.#port.held.take(bytes, body_buffer_total);
    if (fits) this.#heldBytes += bytes;
    const model = this.#prefix?.factsIfDoubled()?.model ?? null;
    if (model !== null || this.#prefix?.isHopeless) this.#route(model);
    else if (!fits || this.#heldBytes > body_buffer) this.#owner.reject('PITOT_MODEL_UNKNOWN');
  }

  #route(model: string | null): boolean {
    this.#letGo();
    const upstream = this.#find(model);
    if (upstream === null || upstream === 'by-model') {
      this.#owner.reject('PITOT_NO_UPSTREAM');
      return false;
    }
    this.#prefix?.limitTo(this.#port.limits.body_prefix);
    this.#go(upstream);
    if (this.#prefix?.isFull) this.#readPrefix();
    return true;
  }

  #go(upstream: Upstream): void {
    this.#owner.routed(upstream);
    if (this.#body === null) return;
    this.#body.release();
    this.#owner.send(this.#body);
  }

  /** What a body too large to come at once says of itself, as soon as its prefix is there. */
  #readPrefix(isWhole = false): void {
    const prefix = this.#prefix;
    if (prefix === null) return;
    this.#prefix = null;
    this.#owner.factsRead(prefix.facts(), isWhole ? prefix.whole : null);
  }

  #find(model: string | null | undefined): Upstream | 'by-model' | null {
    const { path, request, endpoint } = this.#owner;
    return this.#port.routes.find(path, request.headers.host, model ?? endpoint.modelFromPath ?? model);
  }

  #letGo(): void {
    this.#isHeld = false;
    this.#port.held.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
  }
}
