import type { Finding } from './check.ts';
import type { Config } from './schema.ts';

/** Keys that are understood and checked, but that nothing acts on in this release: warnings. */
export function findWithoutEffect({ workloads, state, metrics }: Config): Finding[] {
  return [
    ...later('metrics.otel_names', metrics.otel_names),
    ...later('state.path', state.path !== null),
    ...workloads.flatMap(({ slo_override }, index) => later(`workloads[${index}].slo_override`, slo_override)),
  ];
}

function later(path: string, isSet: boolean): Finding[] {
  return isSet ? [{ paths: [path], message: 'has no effect yet: it comes in a later release' }] : [];
}
