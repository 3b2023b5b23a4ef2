import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { EventTemplate, firstChunk, lastChunks, nowUs, type StreamOrder } from './event.ts';

/**
 * Emits events on an absolute schedule: each stream's next moment is its last one plus the period, so a late
 * timer is made up for and the rate never drifts. The stamp is taken at the write itself, so that a late timer
 * is not mistaken for latency either.
 */
export class Pacer {
  readonly #streams = new Set<PacedStream>();
  #timer: NodeJS.Timeout | null = null;

  start(response: ServerResponse, order: StreamOrder): void {
    const stream = new PacedStream(response, order);
    this.#streams.add(stream);
    response.once('close', () => this.#remove(stream));
    this.#timer ??= setInterval(() => this.#tick(), 1);
  }

  #tick(): void {
    const now = nowUs();
    for (const stream of this.#streams) {
      if (stream.emitDue(now)) this.#remove(stream);
    }
  }

  #remove(stream: PacedStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

class PacedStream {
  readonly #response: ServerResponse;
  readonly #socket: Socket | null;
  readonly #order: StreamOrder;
  readonly #periodUs: number;
  readonly #template: EventTemplate;
  #nextUs: number;
  #left: number;

  constructor(response: ServerResponse, order: StreamOrder) {
    this.#response = response;
    this.#order = order;
    this.#periodUs = 1e6 / order.perSecond;
    this.#template = new EventTemplate(order.model);
    this.#left = order.events;
    const periods = Math.ceil(nowUs() / this.#periodUs - order.phase);
    this.#nextUs = (periods + order.phase) * this.#periodUs;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    // The chunks come framed: one write each, where Node would make three of every event.
    response.chunkedEncoding = false;
    response.write(firstChunk(order.model));
    // Past the response, which would cost as much as the write itself: the upstream shares the contestants' machine.
    this.#socket = response.socket;
  }

  /** Writes what is due; true when the answer is complete. */
  emitDue(now: number): boolean {
    while (this.#nextUs <= now && this.#left > 0) {
      this.#socket?.write(this.#template.stamped());
      this.#nextUs += this.#periodUs;
      this.#left -= 1;
    }
    if (this.#left > 0) return false;
    this.#response.end(lastChunks(this.#order.model, this.#order.events));
    return true;
  }
}
