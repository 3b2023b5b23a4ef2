import type { Contestant } from './contestant.ts';

/** Nothing in between: the latency that all others add to. */
export const direct: Contestant = {
  name: 'direct',
  missing: () => null,
  start: (site) =>
    Promise.resolve({ name: 'direct', target: { host: '127.0.0.1', port: site.upstreamPort }, child: null }),
};
