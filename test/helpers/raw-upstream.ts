import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { PeerGone, RawSocket } from './raw-socket.ts';

/** What an upstream does with one connection. */
export type Script = (connection: RawSocket) => void | Promise<void>;

/** A server that knows no HTTP: what it does with a connection is scripted to the byte. */
export class RawUpstream implements AsyncDisposable {
  readonly port: number;
  readonly connections: RawSocket[] = [];
  /** Scripts that failed; disposing throws the first. */
  readonly #failures: unknown[] = [];
  readonly #server: Server;
  #onConnection: (() => void)[] = [];

  private constructor(server: Server, script: Script) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.port = port;
    server.on('connection', (socket) => {
      const connection = new RawSocket(socket);
      this.connections.push(connection);
      void this.#run(script, connection);
      for (const wake of this.#onConnection.splice(0)) wake();
    });
  }

  static async start(script: Script = () => {}): Promise<RawUpstream> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RawUpstream(server, script);
  }

  /** As a crash: connections are reset, new ones refused. */
  async stop(): Promise<void> {
    for (const connection of this.connections) connection.reset();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** After `stop`, on the same port. */
  async listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The connection with this number, from 0, once it is there. */
  async connection(number = 0): Promise<RawSocket> {
    for (;;) {
      const found = this.connections[number];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#onConnection.push(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #run(script: Script, connection: RawSocket): Promise<void> {
    try {
      await script(connection);
    } catch (error) {
      // A script that waits for one more request ends with its connection.
      if (!(error instanceof PeerGone)) this.#failures.push(error);
    }
  }
}

/** Answers every request on a connection with these bytes. */
export function answering(answer: string | Buffer): Script {
  return async (connection) => {
    for (;;) {
      await connection.message();
      connection.write(answer);
    }
  };
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
