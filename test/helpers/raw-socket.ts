import type { Socket } from 'node:net';
import { type MessageContext, readMessage, type WireMessage } from './http-bytes.ts';

/** How a peer ended its side: orderly, or by a reset. */
export type PeerEnd = 'end' | 'reset';

const PATIENCE_MS = 10_000;

/** Nothing more can come. */
export class PeerGone extends Error {}

/** One end of a TCP connection, scripted to the byte. Everything received is kept until it is taken. */
export class RawSocket implements AsyncDisposable {
  readonly socket: Socket;
  receivedBytes = 0;
  peerEnd: PeerEnd | null = null;
  #parts: Buffer[] = [];
  #waiting = new Set<() => void>();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      this.receivedBytes += bytes.length;
      this.#parts.push(bytes);
      this.#wake();
    });
    socket.on('end', () => this.#ended('end'));
    socket.on('error', () => this.#ended('reset'));
    socket.on('close', () => this.#ended('reset'));
  }

  /** What the peer sent and nobody has taken yet. */
  get received(): Buffer {
    const whole = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = whole === undefined ? [] : [whole];
    return whole ?? Buffer.alloc(0);
  }

  set received(rest: Buffer) {
    this.#parts = [rest];
  }

  write(data: string | Buffer): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Says that nothing more comes, and still reads. */
  end(data: string | Buffer = ''): void {
    this.socket.end(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Breaks the connection as a crash does. Not `resetAndDestroy()`: that one ends it first, and a peer sees the FIN. */
  reset(): void {
    Reflect.set(this.socket, 'resetAndClosing', true);
    this.socket.destroy();
  }

  /** Waits for the next whole message and takes it off. */
  async message(context: MessageContext = {}): Promise<WireMessage> {
    const found = await this.until(() =>
      readMessage(this.received, { ...context, isEnded: context.isEnded ?? this.peerEnd === 'end' }),
    );
    this.received = this.received.subarray(found.wireBytes);
    return found;
  }

  /** Waits until `text` was received; what was received is kept. */
  async text(text: string): Promise<string> {
    await this.until(() => (this.received.includes(Buffer.from(text, 'latin1')) ? true : null));
    return this.received.toString('latin1');
  }

  /** Waits for the head of the next message and takes it off; its body stays. */
  async head(): Promise<string> {
    await this.text('\r\n\r\n');
    const end = this.received.indexOf('\r\n\r\n') + 4;
    const head = this.received.toString('latin1', 0, end);
    this.received = this.received.subarray(end);
    return head;
  }

  /** Waits until the peer has ended its side. */
  async closed(): Promise<PeerEnd> {
    return await this.until(() => this.peerEnd);
  }

  /** Waits until `look` finds something; it looks again whenever something happened. */
  async until<T>(look: () => T | null): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== null) return found;
      if (this.peerEnd !== null) throw new PeerGone(`the peer left (${this.peerEnd}) after ${this.#shown()}`);
      await this.#somethingHappens();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
  }

  async #somethingHappens(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        reject(new Error(`nothing came after ${this.#shown()}`));
      }, PATIENCE_MS);
      this.#waiting.add(wake);
    });
  }

  #shown(): string {
    return JSON.stringify(this.received.toString('latin1', 0, 400));
  }

  #ended(how: PeerEnd): void {
    this.peerEnd ??= how;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
