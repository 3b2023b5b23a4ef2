import { once } from 'node:events';
import { type AddressInfo, isIPv6, type Server } from 'node:net';
import { parseAddress } from '../config/addresses.ts';
import type { GatewayLog } from './options.ts';

/** Node accepts one connection in a turn of its loop, and 511 can wait; where they come without a pause, some are reset. */
const MOST_TURNS = 1_000;
/** So often a turn may turn out too long in which nobody came: a loop that is always busy has no short one. */
const MOST_LONG_TURNS = 20;
/** Between looking for who waits and closing the listener nobody is let in: only in a turn this short is that next to nobody. */
const SHORT_TURN_MS = 0.5;

/** Resolves to the `HOST:PORT` really bound. Rejects with the system's error, as when the port is in use. */
export async function listenOn(server: Server, listen: string, log: GatewayLog): Promise<string> {
  const address = parseAddress(listen);
  if (address === null) throw new Error(`cannot listen on ${listen}`);
  server.listen(address);
  await once(server, 'listening');
  // Out of file descriptors, say: this connection is lost, the next may not be.
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.error({ code: error.code }, 'a connection could not be accepted');
  });
  // A server that listens on a host and port has such an address.
  const { address: host, port } = server.address() as AddressInfo;
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Closing a listener resets what waits in its backlog, and so who stands there is let in first. Ends in
 * the very turn that found nobody waiting and did little else; the first one may be half over. Who
 * connects in that last moment is reset: no system lets a listener be closed to newcomers only.
 */
export async function letIn(accepted: () => number): Promise<void> {
  await new Promise(setImmediate);
  let longTurns = 0;
  for (let turn = 0; turn < MOST_TURNS && longTurns < MOST_LONG_TURNS; turn += 1) {
    const before = accepted();
    const beganMs = performance.now();
    await new Promise(setImmediate);
    if (accepted() !== before) continue;
    if (performance.now() - beganMs < SHORT_TURN_MS) return;
    longTurns += 1;
  }
}
