import type { IncomingMessage } from 'node:http';
import type { RequestOpening } from '../meter/opening.ts';
import type { Endpoint } from '../wire/registry.ts';
import type { Port } from './port.ts';
import type { Upstream } from './upstreams.ts';

/** version-traceid-parentid-flags (W3C Trace Context); an all-zero trace id is none. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;

export interface Asked {
  request: IncomingMessage;
  /** Without the query. */
  path: string;
  endpoint: Endpoint;
  t0Ms: number;
}

/** What is known of a request when its upstream is; `upstream` is null when it never got one. */
export function openingOf(port: Port, asked: Asked, upstream: Upstream | null): RequestOpening {
  const { request, path, endpoint, t0Ms } = asked;
  const { clock } = port;
  const workload = port.options.workloadOf(request.headers);
  const isMetered = upstream?.config.metering !== 'off';
  return {
    id: port.nextId(),
    t0Ms,
    startedEpochMs: clock.epochMs() - (clock.nowMs() - t0Ms),
    upstream: upstream?.config.name ?? null,
    method: request.method ?? '',
    path,
    api: endpoint.api,
    generation: endpoint.generation && upstream?.config.metering === 'full',
    streamsByDefault: endpoint.streamsByDefault,
    requestedModelFromPath: endpoint.modelFromPath,
    workload: workload.name,
    // What never found its upstream was a generation all the same, and is a failure of ours.
    targets: endpoint.generation && isMetered ? workload.targets : null,
    requestId: single(request.headers['x-request-id']),
    traceId: TRACEPARENT.exec(single(request.headers['traceparent']) ?? '')?.[1] ?? null,
  };
}

function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
