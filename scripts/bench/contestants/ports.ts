import { connect, createServer } from 'node:net';
import { type Child, poll } from '../children.ts';
import type { Target } from '../load-user.ts';

const READY_LIMIT_MS = 15_000;

/** Most programs cannot be asked for "any port"; one that was free a moment ago will do. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** @throws Error when the program ends, or does not accept there in time. */
export async function accepting(child: Child, port: number): Promise<Target> {
  await poll(child, () => accepts(port), READY_LIMIT_MS);
  return { host: '127.0.0.1', port };
}

function accepts(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(null));
    socket.once('connect', () => socket.destroy());
  });
}
