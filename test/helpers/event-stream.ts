import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { eventsIn, type ToldEvent } from './broadcast.ts';

/** A client of `/api/stream` that reads as it comes. */
export class EventStream {
  readonly answer: IncomingMessage;
  readonly #sent: ClientRequest;
  #text = '';
  #wake: () => void = () => {};
  isOver = false;

  private constructor(sent: ClientRequest, answer: IncomingMessage) {
    this.#sent = sent;
    this.answer = answer;
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    answer.on('error', () => {});
    answer.on('close', () => {
      this.isOver = true;
      this.#wake();
    });
  }

  static open(address: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const [host, port] = address.replace(/^http:\/\//, '').split(':');
    return new Promise((resolve, reject) => {
      const sent = request({ host, port, path: '/api/stream', headers, agent: false }, (answer) =>
        resolve(new EventStream(sent, answer)),
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Everything so far. */
  get events(): ToldEvent[] {
    return eventsIn(this.#text);
  }

  get text(): string {
    return this.#text;
  }

  /** Resolves with all events once there are so many, or so many of which the claim holds. */
  async heard(count: number, claim: (event: ToldEvent) => boolean = () => true): Promise<ToldEvent[]> {
    while (this.events.filter(claim).length < count && !this.isOver) await this.#more();
    return this.events;
  }

  /** Resolves when the other side has ended it. */
  async over(): Promise<void> {
    while (!this.isOver) await this.#more();
  }

  leave(): void {
    this.#sent.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
