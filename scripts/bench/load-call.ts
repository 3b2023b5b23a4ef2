import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { nowUs } from './event.ts';
import type { LoadSink, LoadUser, Target } from './load-user.ts';

export interface CallTimes {
  readonly periodUs: number;
  /** 0 to 1: where in the period this client's calls stand. */
  readonly phase: number;
}

/** A client that sends one request after the other, on an absolute schedule: what comes late is made up for. */
export class LoadCall implements LoadUser {
  readonly #socket: Socket;
  readonly #request: { head: string; body: Buffer };
  readonly #periodUs: number;
  #nextUs: number;
  #askedUs = 0;
  #isWaiting = true;
  #isClosed = false;

  constructor(
    target: Target,
    { request, times }: { request: { head: string; body: Buffer }; times: CallTimes },
    sink: LoadSink,
  ) {
    this.#request = request;
    this.#periodUs = times.periodUs;
    this.#nextUs = nowUs() + times.phase * times.periodUs;
    const reader = new AnswerReader({
      head: () => sink.opened(),
      event: () => {},
      end: () => {
        this.#isWaiting = false;
        sink.arrived(nowUs() - this.#askedUs);
      },
      fault: (sentence) => sink.fault(sentence),
    });
    this.#socket = connect({ ...target, noDelay: true });
    this.#socket.once('connect', () => this.#ask());
    this.#socket.on('data', (bytes) => reader.read(bytes, bytes.length));
    this.#socket.on('error', (error) => this.#report(sink, error.message));
    this.#socket.once('close', () => this.#report(sink, 'a connection was closed'));
  }

  /** Sends what is due; one call at a time. */
  tick(now: number): void {
    if (this.#isWaiting || now < this.#nextUs) return;
    this.#nextUs += this.#periodUs;
    this.#ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #ask(): void {
    this.#isWaiting = true;
    this.#askedUs = nowUs();
    this.#socket.cork();
    this.#socket.write(this.#request.head);
    this.#socket.write(this.#request.body);
    this.#socket.uncork();
  }

  #report(sink: LoadSink, sentence: string): void {
    if (!this.#isClosed) sink.fault(sentence);
    this.#isClosed = true;
  }
}

/** The messages come first and the model behind them, as OpenAI's Python library writes a request. */
export function callBody(bytes: number): Buffer {
  const start = '{"messages":[{"role":"user","content":"';
  const end = '"}],"model":"bench","stream":false}';
  const text = 'How much does it cost to be metered? ';
  return Buffer.from(
    `${start}${text.repeat(bytes / text.length + 1).slice(0, Math.max(0, bytes - start.length - end.length))}${end}`,
  );
}
