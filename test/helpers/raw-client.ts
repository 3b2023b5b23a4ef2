import { once } from 'node:events';
import { connect } from 'node:net';
import { RawSocket } from './raw-socket.ts';

/** A client connection, scripted to the byte. */
export async function rawClient(port: number): Promise<RawSocket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return new RawSocket(socket);
}

/** A request as bytes. `headers` are whole lines; a Host line is added unless there is one. */
export function request(line: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const hasHost = headers.some((header) => /^host:/i.test(header));
  const lines = [`${line} HTTP/1.1`, ...(hasHost ? [] : ['Host: gateway.test']), ...headers];
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body, 'latin1');
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** A request with a JSON body and its length. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const length = Buffer.byteLength(body);
  return request(
    `POST ${path}`,
    ['Content-Type: application/json', `Content-Length: ${length}`, ...headers],
    Buffer.from(body),
  );
}
