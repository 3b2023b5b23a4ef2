import { connect, type Socket } from 'node:net';
import { LAST_BYTES } from './answer-bytes.ts';
import { MODEL, ORDER_HEADER, type Order } from './order.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `reads` as fast as it comes; `stops` reading for a while, again and again; `leaves` in the middle of every answer. */
export type Behaviour =
  | { readonly kind: 'reads' }
  | { readonly kind: 'stops'; readonly forMs: number }
  | { readonly kind: 'leaves'; readonly afterMs: number };

export interface Wish {
  readonly name: string;
  /** The first answer, and all others. */
  readonly first: Order;
  readonly order: Order;
  readonly behaviour: Behaviour;
}

/** All sockets read into the same bytes: what arrived is looked at before the next read. */
const shared = Buffer.allocUnsafe(65_536);
const END = Buffer.from(LAST_BYTES);
const OK = Buffer.from('HTTP/1.1 200');
const ZERO = 0x30;
const NOTHING = Buffer.alloc(0);

/** A user who asks again whenever an answer has ended. Of an answer only its beginning and its end are looked at: the reading must not become the bottleneck. */
export class User {
  isConnected = false;
  readonly #target: Target;
  readonly #wish: Wish;
  readonly #fault: (sentence: string) => void;
  #socket: Socket;
  #isBegun = false;
  /** What an end that is cut in two may have begun with. */
  #tail: Buffer = NOTHING;
  #asked = 0;
  #isFinishing = false;
  #isWaiting = false;

  constructor(target: Target, wish: Wish, fault: (sentence: string) => void) {
    this.#target = target;
    this.#wish = wish;
    this.#fault = fault;
    this.#socket = this.#connect();
  }

  get isDone(): boolean {
    return this.#isFinishing && !this.#isWaiting;
  }

  /** The answer under way is the last one. */
  finish(): void {
    this.#isFinishing = true;
  }

  close(): void {
    this.#isFinishing = true;
    this.#isWaiting = false;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const callback = (length: number) => {
      this.#read(length);
      return true;
    };
    const socket = connect({ ...this.#target, noDelay: true, onread: { buffer: shared, callback } });
    socket.once('connect', () => {
      this.isConnected = true;
      this.#ask();
    });
    // Where the answer is to be cut, so is the connection.
    socket.on('error', (error) => {
      if (this.#wish.order.cutAfterChunks === null) this.#fault(error.message);
    });
    socket.once('close', () => this.#closed());
    return socket;
  }

  #ask(): void {
    if (this.#isFinishing) return;
    const { name, first, order, behaviour } = this.#wish;
    this.#isWaiting = true;
    this.#isBegun = false;
    this.#tail = NOTHING;
    this.#socket.write(requestOf(this.#asked === 0 ? first : order, `${name}-${this.#asked}`));
    this.#asked += 1;
    const socket = this.#socket;
    if (behaviour.kind === 'leaves') setTimeout(() => socket.destroy(), behaviour.afterMs);
    if (behaviour.kind === 'stops' && this.#asked === 1) this.#alternate(behaviour.forMs);
  }

  /** So many bytes stand in `shared`. */
  #read(length: number): void {
    if (!this.#isBegun && shared.compare(OK, 0, OK.length, 0, Math.min(length, OK.length)) !== 0) {
      this.#fault(`an answer began with ${shared.toString('latin1', 0, Math.min(length, 20))}`);
    }
    this.#isBegun = true;
    // The end begins with a 0; an ordinary event has none so near to its own end.
    const zero = shared.lastIndexOf(ZERO, length - 1);
    if (this.#tail === NOTHING && zero < length - END.length) return;
    const from = Math.max(0, length - END.length);
    const tail = Buffer.concat([this.#tail, shared.subarray(from, length)]);
    const end = tail.subarray(Math.max(0, tail.length - END.length));
    this.#tail = end.includes(ZERO) ? end : NOTHING;
    if (!end.equals(END)) return;
    this.#isWaiting = false;
    this.#ask();
  }

  /** Where an answer is cut or left, the connection ends, and the next one is asked for on another. */
  #closed(): void {
    this.#isWaiting = false;
    if (!this.#isFinishing) this.#socket = this.#connect();
  }

  #alternate(forMs: number): void {
    const turn = setInterval(() => {
      if (this.#isFinishing || this.#socket.isPaused()) this.#socket.resume();
      else this.#socket.pause();
      if (this.#isFinishing) clearInterval(turn);
    }, forMs);
  }
}

function requestOf(order: Order, id: string): string {
  const body = JSON.stringify({
    model: MODEL,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'How true is what you say?' }],
  });
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: truth',
    `X-Request-Id: ${id}`,
    `${ORDER_HEADER}: ${JSON.stringify(order)}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
