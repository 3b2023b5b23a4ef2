import { direct } from '../contestants/direct.ts';
import { nginx } from '../contestants/nginx.ts';
import { pitot, pitotOff } from '../contestants/pitot.ts';
import type { BenchCase } from './case.ts';
import { neighbours } from './neighbours.ts';
import { openStreams } from './open-streams.ts';
import { pacedStreams } from './paced-streams.ts';
import { scrape } from './scrape.ts';

/** Every case, with what it has to reach. One more is one more entry. */
export const CASES: readonly BenchCase[] = [
  pacedStreams({
    name: 'streams',
    title: '100 streams × 50 events/s',
    plan: { streams: 100, perSecond: 50, eventsPerAnswer: 250 },
    contestants: [direct, nginx, pitot, pitotOff],
    goals: { cpuOfNginx: 3, cpuFullOfOff: 1.15, addedP50Ms: 0.5 },
  }),
  openStreams({
    name: 'open',
    title: '1,000 open streams × 1 event/s',
    plan: { streams: 1_000, perSecond: 1, eventsPerAnswer: 1_000 },
    contestants: [nginx, pitot, pitotOff],
    goals: { residentMb: 250 },
  }),
  neighbours({
    name: 'neighbours',
    title: 'a first token beside heavy traffic of others',
    goals: { riseMs: 20, grownMb: 40 },
  }),
  scrape({ name: 'scrape', title: 'a scrape with 200 label sets', goals: { blockedMs: 10 } }),
];
