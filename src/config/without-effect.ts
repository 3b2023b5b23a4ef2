import type { Finding } from './check.ts';
import type { Config } from './schema.ts';

/** Keys that are understood and checked, but that nothing acts on in this release: warnings. */
export function findWithoutEffect({ metrics }: Config): Finding[] {
  return later('metrics.otel_names', metrics.otel_names);
}

function later(path: string, isSet: boolean): Finding[] {
  return isSet ? [{ paths: [path], message: 'has no effect yet: it comes in a later release' }] : [];
}
