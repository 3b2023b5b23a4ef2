import { subscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The parts of a request that a leak would hold on to, as Node and undici announce them. */
const CHANNELS: Readonly<Record<string, readonly string[]>> = {
  'http.server.request.start': ['request', 'response', 'socket'],
  'undici:request:create': ['request'],
  'undici:client:connected': ['socket'],
};

const watched = new Map<string, Set<WeakRef<object>>>();

for (const [channel, names] of Object.entries(CHANNELS)) {
  subscribe(channel, (message) => {
    for (const name of names) {
      // The message is an object with the names above; Node's types know nothing of it.
      const part: unknown = Reflect.get(message as object, name);
      if (typeof part === 'object' && part !== null) watch(`${channel} ${name}`, part);
    }
  });
}

function watch(what: string, part: object): void {
  const known = watched.get(what) ?? new Set();
  watched.set(what, known.add(new WeakRef(part)));
}

/**
 * What is left in memory, after a garbage collection, of all requests that this process has seen so
 * far: exact, where the size of a heap would only hint. Requests that are running are left, too.
 */
export function retained(): string[] {
  collectGarbage();
  return [...watched].flatMap(([what, parts]) => {
    for (const part of parts) if (part.deref() === undefined) parts.delete(part);
    return parts.size === 0 ? [] : [`${parts.size} × ${what}`];
  });
}
