import { createServer } from 'node:net';

/** The system may name a port twice that nobody has taken yet. */
const given = new Set<number>();

/** For programs that cannot be asked for "any port": one that was free a moment ago, and was given to nobody else here. */
export async function freePort(): Promise<number> {
  let port = await anyPort();
  while (given.has(port)) port = await anyPort();
  given.add(port);
  return port;
}

function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
