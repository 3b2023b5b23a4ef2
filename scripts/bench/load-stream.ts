import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { nowUs, ORDER_HEADER, type StreamOrder } from './event.ts';
import type { LoadSink, LoadUser, Target } from './load-user.ts';

/** All sockets read into the same bytes: what arrived is looked at before the next read. */
const shared = Buffer.allocUnsafe(65_536);

/** A user who asks again whenever the answer is complete, over one kept connection. */
export class LoadStream implements LoadUser {
  readonly #socket: Socket;
  #isClosed = false;

  /** `first` is the order of the first answer, `order` of all others. */
  constructor(target: Target, orders: { first: StreamOrder; order: StreamOrder; head: string }, sink: LoadSink) {
    const ask = (order: StreamOrder) => this.#socket.write(`${orders.head}${requestOf(order)}`);
    const reader = new AnswerReader({
      head: () => sink.opened(),
      event: (stampUs) => sink.arrived(nowUs() - stampUs),
      end: () => ask(orders.order),
      fault: (sentence) => sink.fault(sentence),
    });
    const callback = (length: number, bytes: Uint8Array) => {
      reader.read(bytes, length);
      return true;
    };
    this.#socket = connect({ ...target, noDelay: true, onread: { buffer: shared, callback } });
    this.#socket.once('connect', () => ask(orders.first));
    this.#socket.on('error', (error) => this.#report(sink, error.message));
    this.#socket.once('close', () => this.#report(sink, 'a connection was closed'));
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #report(sink: LoadSink, sentence: string): void {
    if (!this.#isClosed) sink.fault(sentence);
    this.#isClosed = true;
  }
}

function requestOf(order: StreamOrder): string {
  const body = JSON.stringify({
    model: order.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'How much does it cost to be metered?' }],
  });
  const head = `${ORDER_HEADER}: ${JSON.stringify(order)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}
