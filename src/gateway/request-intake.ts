import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../errors.ts';
import { formBoundary } from '../wire/form-facts.ts';
import type { Endpoint } from '../wire/registry.ts';
import type { RequestFacts } from '../wire/request-facts.ts';
import { BodyPrefix, readBodyFacts } from './body-prefix.ts';
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
  /** The upstream is known, or (null) there is none. Comes first, and once. */
  routed(upstream: Upstream | null): void;
  /**
   * What the top level of the body says; null when it says nothing. Comes once, before `bodyReceived`.
   * `whole`: the body itself, where it is JSON and all of it was kept to be read.
   */
  factsRead(facts: RequestFacts | null, whole: Buffer | null): void;
  bodyReceived(bytes: number, atMs: number): void;
  /** Of this upstream usage may be asked: it is worth having the body whole. */
  mayAsk(upstream: Upstream): boolean;
  /** The whole body may go to the upstream with the question for usage in it. False: it was not sent. */
  ask(body: Buffer): boolean;
  /** The body, or as much of it as there is yet, may go to the upstream. */
  send(body: Buffer | RequestBody): void;
  reject(code: ErrorCode): void;
  clientLeft(): void;
}

/**
 * Receives one request: finds its upstream, which can hang on the model its body names, and sees that
 * the body is handed on as the bytes that came. What came in one piece with the head, the usual case,
 * is handed on as one buffer; the rest as a stream, which is held back only while its upstream is not
 * known, or where the question for usage may be put into it.
 */
export class RequestIntake implements BodyListener {
  readonly #port: Port;
  readonly #owner: IntakeOwner;
  #body: RequestBody | null = null;
  #prefix: BodyPrefix | null = null;
  #isWhole = false;
  #receivedBytes = 0;
  /** Why everything received is held: not yet routed, or perhaps to be asked. */
  #hold: 'route' | 'ask' | null = null;
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

  /** What of the body has come. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The exchange is over: what is still to come is of no interest. */
  stop(): void {
    this.#letGo();
    this.#prefix = null;
    this.#body?.destroy();
  }

  bodyChunk(bytes: Buffer): void {
    this.#receivedBytes += bytes.length;
    this.#prefix?.add(bytes);
    if (this.#hold === 'route') this.#lookForModel(bytes.length);
    else if (this.#hold === 'ask') this.#lookForChoice(bytes.length);
    else if (this.#prefix?.isFull) this.#readPrefix();
  }

  bodyEnded(bytes: number): void {
    if (this.#owner.isOver) return;
    const atMs = this.#port.clock.nowMs();
    if (this.#hold === 'route') {
      const facts = this.#prefix?.facts() ?? null;
      if (!this.#route(facts?.model ?? null)) return;
    }
    const body = this.#hold === 'ask' ? (this.#prefix?.whole() ?? null) : null;
    const isHeld = this.#hold !== null;
    this.#letGo();
    this.#readPrefix(true);
    this.#owner.bodyReceived(bytes, atMs);
    if (!isHeld) return;
    if (body !== null && this.#owner.ask(body)) this.#body?.destroy();
    else this.#pass();
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
    if (upstream === 'by-model') this.#hold = 'route';
    else if (upstream !== null && this.#mayAsk(upstream)) this.#hold = 'ask';
    const isHeld = this.#hold !== null;
    const { body_buffer, body_prefix } = this.#port.limits;
    this.#prefix = new BodyPrefix(isHeld ? body_buffer : body_prefix, this.#boundary);
    this.#body = new RequestBody(request, this, isHeld);
    if (upstream === null) this.#owner.reject('PITOT_NO_UPSTREAM');
    else if (upstream !== 'by-model') this.#go(upstream);
  }

  #whole(body: Buffer, atMs: number): void {
    this.#isWhole = true;
    this.#receivedBytes = body.length;
    const { body_buffer, body_prefix } = this.#port.limits;
    const isByModel = this.#find(undefined) === 'by-model';
    const prefix = body.subarray(0, isByModel ? body_buffer : body_prefix);
    const boundary = this.#boundary;
    const facts = prefix.length === 0 ? null : readBodyFacts(prefix, boundary);
    const model = facts?.model ?? null;
    const upstream = this.#find(model);
    const isRouted = upstream !== null && upstream !== 'by-model';
    this.#owner.routed(isRouted ? upstream : null);
    this.#owner.factsRead(facts, facts === null || boundary !== null ? null : body);
    this.#owner.bodyReceived(body.length, atMs);
    if (isByModel && model === null && body.length > body_buffer) this.#owner.reject('PITOT_MODEL_UNKNOWN');
    else if (!isRouted) this.#owner.reject('PITOT_NO_UPSTREAM');
    else if (!this.#owner.ask(body)) this.#owner.send(body);
  }

  #lookForModel(bytes: number): void {
    const room = this.#keep(bytes);
    const facts = room === 'enough' ? this.#prefix?.factsIfDoubled() : this.#prefix?.facts();
    const model = facts?.model ?? null;
    if (model !== null || this.#prefix?.isHopeless) this.#route(model);
    else if (room !== 'enough') this.#owner.reject(room === 'too_long' ? 'PITOT_MODEL_UNKNOWN' : 'PITOT_OVERLOADED');
  }

  /** Passes the body on as soon as it is too long, or says what makes asking idle. */
  #lookForChoice(bytes: number): void {
    const room = this.#keep(bytes);
    const facts = this.#prefix?.factsIfDoubled() ?? null;
    if (room === 'enough' && !this.#prefix?.isHopeless && facts?.stream !== false && !facts?.setsUsage) return;
    this.#letGo();
    this.#pass();
    if (this.#prefix?.isFull) this.#readPrefix();
  }

  /** Whether what has come may be held: of one request, and beside the others. */
  #keep(bytes: number): 'enough' | 'too_long' | 'taken' {
    if (this.#heldBytes + bytes > this.#port.limits.body_buffer) return 'too_long';
    if (!this.#port.held.take(bytes)) return 'taken';
    this.#heldBytes += bytes;
    return 'enough';
  }

  #mayAsk(upstream: Upstream): boolean {
    const length = Number(this.#owner.request.headers['content-length'] ?? 0);
    return length <= this.#port.limits.body_buffer && this.#owner.mayAsk(upstream);
  }

  #route(model: string | null): boolean {
    const upstream = this.#find(model);
    if (upstream === null || upstream === 'by-model') {
      this.#owner.reject('PITOT_NO_UPSTREAM');
      return false;
    }
    const mayAsk = this.#mayAsk(upstream) && this.#prefix?.isHopeless === false;
    // What was held to be routed is read before it is cut down to what is kept of others: its model may stand last.
    const facts = mayAsk || model === null ? null : (this.#prefix?.facts() ?? null);
    if (mayAsk) this.#hold = 'ask';
    else this.#letGo();
    this.#go(upstream);
    if (facts !== null && this.#prefix?.isFull) {
      this.#prefix = null;
      this.#owner.factsRead(facts, null);
    } else if (this.#prefix?.isFull) this.#readPrefix();
    return true;
  }

  #go(upstream: Upstream): void {
    this.#owner.routed(upstream);
    if (this.#hold === null) this.#pass();
  }

  #pass(): void {
    if (this.#body === null) return;
    this.#body.release();
    this.#owner.send(this.#body);
  }

  /** What a body too large to come at once says of itself, as soon as its prefix is there. */
  #readPrefix(isWhole = false): void {
    const prefix = this.#prefix;
    if (prefix === null) return;
    this.#prefix = null;
    this.#owner.factsRead(prefix.facts(), isWhole ? prefix.whole() : null);
  }

  /** Of a form; null where the body is none. */
  get #boundary(): string | null {
    return formBoundary(this.#owner.request.headers['content-type']);
  }

  #find(model: string | null | undefined): Upstream | 'by-model' | null {
    const { path, request, endpoint } = this.#owner;
    return this.#port.routes.find(path, request.headers.host, model ?? endpoint.modelFromPath ?? model);
  }

  #letGo(): void {
    if (this.#hold !== null) this.#prefix?.limitTo(this.#port.limits.body_prefix);
    this.#hold = null;
    this.#port.held.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
  }
}
