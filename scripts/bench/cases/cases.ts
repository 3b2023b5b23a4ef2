import type { BenchCase } from './case.ts';
import { neighbours } from './neighbours.ts';
import { openStreams } from './open-streams.ts';
import { relayCost } from './relay-cost.ts';
import { saturation } from './saturation.ts';
import { scrape } from './scrape.ts';

const MEBIBYTE = 2 ** 20;
/** Proxies of others: they take part where a full run has the time. */
const RIVALS = ['haproxy', 'http-proxy', 'portkey'];
/** 100 users of 50 events a second each: a large engine, and nobody is pressed by it. */
const HUNDRED = { kind: 'streams', streams: 100, perSecond: 50, eventsPerAnswer: 1_000, moments: 'spread' } as const;
const EVENT_GOALS = {
  ofNginx: 'event-cpu',
  newerNodeOfNginx: 'event-cpu-newer-node',
  fullOfOff: 'metering-cpu',
  addedP50: 'added-p50',
  addedP99: 'added-p99',
} as const;

/** Every case, with the goals it is judged by. One more is one more entry. */
export const CASES: readonly BenchCase[] = [
  relayCost({
    name: 'streams',
    title: '100 streams × 50 events/s, answers of 1,000 events',
    where: 'answers of 1,000 events',
    plan: HUNDRED,
    unit: 'event',
    goals: EVENT_GOALS,
  }),
  relayCost({
    name: 'streams-short',
    title: '100 streams × 50 events/s, answers of 250 events',
    where: 'answers of 250 events',
    plan: { ...HUNDRED, eventsPerAnswer: 250 },
    unit: 'event',
    without: RIVALS,
    goals: EVENT_GOALS,
  }),
  relayCost({
    name: 'steps',
    title: 'engine steps: 100 streams × 50 events/s, all at the same moments, answers of 1,000 events',
    where: 'engine steps',
    plan: { ...HUNDRED, moments: 'together' },
    unit: 'event',
    without: RIVALS,
    goals: { ofNginx: 'step-cpu', fullOfOff: 'metering-cpu' },
  }),
  relayCost({
    name: 'calls',
    title: 'short calls that are not streamed: 50 clients × 20 calls/s',
    where: '',
    plan: { kind: 'calls', clients: 50, perSecond: 20, bodyBytes: 1_000 },
    unit: 'call',
    goals: { ofNginx: 'call-cpu' },
  }),
  relayCost({
    name: 'bodies-1',
    title: 'request bodies of 1 MiB: 4 clients × 10 calls/s',
    where: '1 MiB',
    plan: { kind: 'calls', clients: 4, perSecond: 10, bodyBytes: MEBIBYTE },
    unit: 'call',
    without: RIVALS,
    goals: {},
  }),
  relayCost({
    name: 'bodies-8',
    title: 'request bodies of 8 MiB: 4 clients × 2 calls/s',
    where: '',
    plan: { kind: 'calls', clients: 4, perSecond: 2, bodyBytes: 8 * MEBIBYTE },
    unit: 'call',
    goals: { ofNginx: 'body-cpu' },
  }),
  openStreams({
    name: 'open-1000',
    title: '1,000 open streams × 1 event/s',
    plan: { ...HUNDRED, streams: 1_000, perSecond: 1 },
    without: ['direct', 'http-proxy'],
    rounds: 1,
    goal: null,
  }),
  openStreams({
    name: 'open-5000',
    title: '5,000 open streams × 1 event/s',
    plan: { ...HUNDRED, streams: 5_000, perSecond: 1 },
    without: ['direct', ...RIVALS, 'pitot-off'],
    rounds: 2,
    goal: 'open-memory',
  }),
  saturation({
    name: 'saturation',
    title: 'saturation: ever more streams × 50 events/s',
    plan: { kind: 'streams', perSecond: 50, eventsPerAnswer: 1_000, moments: 'spread' },
    without: [...RIVALS, 'pitot-off'],
  }),
  scrape({ name: 'scrape', title: 'a scrape with 200 label sets' }),
  neighbours({ name: 'neighbours', title: 'a first token beside heavy traffic of others' }),
];
