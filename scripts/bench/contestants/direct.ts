import type { Contestant } from './contestant.ts';

const ABOUT = 'nothing in between: the latency that all others add to';

export const direct: Contestant = {
  name: 'direct',
  about: () => ABOUT,
  missing: () => null,
  start: (site) => {
    const target = { host: '127.0.0.1', port: site.upstreamPort };
    return Promise.resolve({ name: 'direct', about: ABOUT, target, headers: {}, child: null });
  },
};
