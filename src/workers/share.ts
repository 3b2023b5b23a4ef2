import type { Config } from '../config/schema.ts';

/** The configuration of one of so many workers: of what is bounded over all requests, each has its part. */
export function shareOf(config: Config): Config {
  const { workers, limits, upstreams } = config;
  return {
    ...config,
    limits: {
      ...limits,
      body_buffer_total: Math.max(limits.body_buffer, Math.floor(limits.body_buffer_total / workers)),
    },
    upstreams: upstreams.map((upstream) => ({
      ...upstream,
      max_connections: partOf(upstream.max_connections, workers),
    })),
  };
}

/** 0 stays "unlimited"; else one connection at least, or a worker could not work. */
function partOf(connections: number, workers: number): number {
  return connections === 0 ? 0 : Math.max(1, Math.floor(connections / workers));
}
