import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../errors.ts';
import type { Ending } from '../meter/outcome.ts';
import type { Heard } from '../meter/request-meter.ts';
import { type Endpoint, endpointOf } from '../wire/registry.ts';
import type { RequestFacts } from '../wire/request-facts.ts';
import { answerHead, type ReceivedHead } from './answer-head.ts';
import type { AnswerTaker } from './asked-answer.ts';
import type { Ongoing } from './connections.ts';
import { sayLast } from './last-answer.ts';
import { Metering, NOTHING_HEARD } from './metering.ts';
import { openingOf } from './opening.ts';
import type { RequestHead } from './options.ts';
import type { Failure } from './outcome.ts';
import { sendOwnError } from './own-error.ts';
import type { Port } from './port.ts';
import type { RequestBody } from './request-body.ts';
import { pathOf } from './request-head.ts';
import { type IntakeOwner, RequestIntake } from './request-intake.ts';
import { Sending, type Sent } from './sending.ts';
import { Tee } from './tee.ts';
import { Tunnel } from './tunnel.ts';
import type { UpgradedClient } from './upgraded-client.ts';
import type { Upstream } from './upstreams.ts';

/** What nginx calls a client that left before it got a status (CONTRACT §7). */
const CLIENT_LEFT = 499;
const WEBSOCKET: Endpoint = {
  api: 'websocket',
  generation: false,
  modelFromPath: null,
  dialect: null,
  streamsByDefault: false,
};
const NO_BODY = { mediaType: '', contentEncoding: '', upstreamRequestId: null, header: () => null };

/** What one request consists of on the client's side. */
export interface ClientSide {
  request: IncomingMessage;
  response: ServerResponse;
  /** As the client sent it; an absolute one reduced to its path. */
  target: string;
  /** Where the client asks for a WebSocket. */
  upgraded: UpgradedClient | null;
}

/**
 * One request and its answer: the client's side, the upstream's side and the meter between them.
 * It begins when the head was received and ends exactly once, by whichever side ends it first.
 */
export class Exchange implements Ongoing, IntakeOwner, AnswerTaker {
  readonly request: IncomingMessage;
  readonly connection: Socket;
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly t0Ms: number;
  isOver = false;
  readonly #client: ClientSide;
  readonly #port: Port;
  readonly #intake: RequestIntake;
  readonly #sending: Sending;
  #upstream: Upstream | null = null;
  #facts: RequestFacts | null = null;
  #metering: Metering | null = null;
  #tee: Tee | null = null;
  #tunnel: Tunnel | null = null;
  /** What the client was sent; 0 before. */
  #status = 0;

  constructor(port: Port, client: ClientSide) {
    this.t0Ms = port.clock.nowMs();
    this.request = client.request;
    this.connection = client.request.socket;
    this.path = pathOf(client.target);
    this.endpoint = client.upgraded === null ? endpointOf(client.request.method ?? '', this.path) : WEBSOCKET;
    this.#client = client;
    this.#port = port;
    this.#intake = new RequestIntake(port, this);
    this.#sending = new Sending(port, this, this);
    // What goes wrong with the connection is heard from the connection itself.
    client.response.on('error', () => {});
  }

  start(): void {
    this.#port.began(this);
    if (this.#port.isClosing) this.reject('PITOT_DRAINING');
    else this.#intake.start();
  }

  routed(upstream: Upstream | null): void {
    const { options } = this.#port;
    this.#upstream = upstream;
    upstream?.status.requestStarted();
    const dialect = upstream?.config.metering === 'full' ? this.endpoint.dialect : null;
    this.#metering = new Metering(
      () => options.openMeter(openingOf(this.#port, this, upstream), dialect),
      (error) => this.#port.meterFault(error),
    );
    this.#metering.user(() => options.identify(this.#head, null));
  }

  factsRead(facts: RequestFacts | null, whole: Buffer | null): void {
    this.#facts = facts;
    this.#metering?.body(facts);
    if (whole !== null) this.#metering?.prompt(whole);
    const user = facts?.user ?? null;
    if (user !== null) this.#metering?.user(() => this.#port.options.identify(this.#head, user));
  }

  bodyReceived(bytes: number, atMs: number): void {
    this.#metering?.bodyEnded(bytes, atMs);
  }

  mayAsk(upstream: Upstream): boolean {
    return this.#sending.mayAsk(upstream);
  }

  ask(body: Buffer): boolean {
    return this.#upstream !== null && this.#sending.ask(this.#upstream, this.#sent, body);
  }

  send(body: Buffer | RequestBody): void {
    if (this.#upstream !== null) this.#sending.send(this.#upstream, this.#sent, body);
  }

  answered(received: ReceivedHead): void {
    const metering = this.#metering;
    if (this.isOver || metering === null) return;
    const { response } = this.#client;
    this.#upstream?.status.answered();
    this.#settleConnection();
    const knowsChunked = this.request.httpVersion === '1.1';
    const head = answerHead(received, { method: this.request.method ?? '', knowsChunked });
    // Node would keep a connection under a head that names a coding.
    if (head.framing === 'close') sayLast(response);
    this.#tee = new Tee(head, {
      response,
      metering,
      clock: this.#port.clock,
      relayDelay: this.#port.options.relayDelay,
      onUnblocked: (ms) => this.#unblocked(ms),
      resume: () => this.#sending.resume(),
    });
    this.#status = head.status;
    metering.answerHead(head, this.#port.clock.nowMs());
  }

  relayed(bytes: Buffer, shown = bytes, framed: Buffer | null = null): boolean {
    return this.#tee?.chunk(bytes, shown, framed) ?? false;
  }

  heard(): Heard {
    return this.#metering?.heard() ?? NOTHING_HEARD;
  }

  completed(trailers: readonly Buffer[]): void {
    this.#sending.completed(this.#facts);
    this.#tee?.end(trailers, () => this.#end('upstream_end', null));
  }

  switched(status: number, rawHeaders: readonly Buffer[], upstream: Duplex): void {
    const { upgraded, response } = this.#client;
    const metering = this.#metering;
    if (this.isOver || upgraded === null || metering === null) {
      upstream.on('error', () => {}).destroy();
      return;
    }
    this.#upstream?.status.answered();
    this.#status = status;
    response.detachSocket(upgraded.socket);
    this.#tunnel = new Tunnel({
      client: upgraded,
      upstream,
      agreement: rawHeaders,
      fromUpstream: (bytes) => metering.chunk(bytes, this.#port.clock.nowMs()),
      onEnd: (kind, fromClientBytes) => {
        this.bodyReceived(fromClientBytes, this.t0Ms);
        this.#end(kind, null);
      },
    });
    metering.answerHead({ status, ...NO_BODY }, this.#port.clock.nowMs());
  }

  failed(failure: Failure): void {
    if (this.isOver) return;
    if (this.#status === 0) {
      this.#upstream?.status.failed();
      this.#answerWithError(failure.code, failure.reason);
      this.#end(failure.kind, failure.code);
    } else {
      this.#tee?.cut();
      this.#end(failure.kind, null);
    }
  }

  reject(code: ErrorCode): void {
    if (this.isOver) return;
    this.#answerWithError(code, null);
    this.#end('rejected', code);
  }

  clientLeft(): void {
    // In a tunnel an end is an end, not yet a leaving.
    if (this.isOver || this.#tunnel !== null) return;
    this.#sending.cancel();
    this.#end('client_left', null);
    this.connection.destroy();
  }

  shutDown(): void {
    if (this.isOver) return;
    this.#sending.cancel();
    if (this.#status === 0) this.#answerWithError('PITOT_DRAINING', null);
    else if (this.#tunnel === null) this.connection.destroy();
    else this.#tunnel.destroy();
    this.#end('gateway_shutdown', this.#tee === null && this.#tunnel === null ? 'PITOT_DRAINING' : null);
  }

  #answerWithError(code: ErrorCode, reason: string | null): void {
    if (this.#client.response.headersSent) {
      // Only when relaying the head failed half-way.
      this.connection.destroy();
      return;
    }
    this.#settleConnection();
    this.#status = sendOwnError(this.#client.response, { api: this.endpoint.api, code, reason });
  }

  /** The connection does not stay while draining, nor when the client is still sending what nobody may read. */
  #settleConnection(): void {
    if (this.#port.isDraining || !this.#intake.isComplete) sayLast(this.#client.response);
  }

  #unblocked(ms: number): void {
    this.#metering?.clientBlocked(ms);
    if (this.#upstream !== null) this.#upstream.status.clientBlockedMs += ms;
  }

  /** The first end wins. */
  #end(kind: Ending['kind'], error: ErrorCode | null): void {
    if (this.isOver) return;
    if (this.#metering === null) this.routed(null);
    this.isOver = true;
    this.#intake.stop();
    this.#tee?.stop();
    this.#sending.release();
    this.#upstream?.status.requestEnded();
    if (!this.#intake.isComplete) this.#metering?.bodyReceived(this.#intake.receivedBytes);
    this.#metering?.finish({ kind, status: this.#status || CLIENT_LEFT, error }, this.#port.clock.nowMs());
    this.#port.ended(this);
  }

  get #sent(): Sent {
    const { request, target, upgraded } = this.#client;
    return { request, target, isUpgrade: upgraded !== null };
  }

  get #head(): RequestHead {
    return { headers: this.request.headers, target: this.#client.target };
  }
}
