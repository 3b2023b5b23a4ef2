import type { Group } from './client.ts';
import type { Order } from './order.ts';

/** Under which circumstances the meter is held against the truth. */
export interface TruthCase {
  readonly name: string;
  /** Of the token rate at which one worker is saturated. */
  readonly load: number;
  readonly groups: (users: number) => readonly Group[];
  /** What its error may be at most; null = it is shown, not judged. */
  readonly goal: { readonly reach: number; readonly fail: number } | null;
  /** Measured in the process that the case before left, warm. */
  readonly isSequel: boolean;
}

/** Fifty chunks a second, a pause that is the longest gap, usage in the end as vLLM reports it when asked. */
export const PLAIN: Order = {
  tokens: 200,
  tokensPerChunk: 1,
  chunksPerSecond: 50,
  prefillMs: 300,
  freeze: { afterChunks: 100, ms: 230 },
  usage: 'at the end',
  paddingBytes: 0,
  cutAfterChunks: null,
};

const READS = { kind: 'reads' } as const;
/** With this much in every event a connection is full long before its client reads again. */
const SLOW: Order = { ...PLAIN, paddingBytes: 16_384 };
const STOPPED_MS = 3_000;
const HALF = 0.5;

const plain = (users: number): Group[] => [{ users, order: PLAIN, behaviour: READS }];

const LEVELS: readonly TruthCase[] = [
  { name: 'quarter load', load: 0.25, groups: plain, goal: null, isSequel: false },
  { name: 'half load', load: HALF, groups: plain, goal: { reach: 0.01, fail: 0.02 }, isSequel: true },
  { name: 'three quarters', load: 0.75, groups: plain, goal: null, isSequel: true },
  { name: 'saturation', load: 1, groups: plain, goal: { reach: 0.02, fail: 0.04 }, isSequel: true },
];

const CIRCUMSTANCES: readonly TruthCase[] = [
  {
    name: 'half load, 4 tokens a chunk',
    load: HALF,
    groups: (users) => [{ users, order: { ...PLAIN, tokens: 800, tokensPerChunk: 4 }, behaviour: READS }],
    goal: null,
    isSequel: false,
  },
  {
    name: 'half load, usage never reported',
    load: HALF,
    groups: (users) => [{ users, order: { ...PLAIN, usage: 'never' }, behaviour: READS }],
    goal: null,
    isSequel: false,
  },
  {
    name: 'half load, usage never reported, 4 tokens a chunk',
    load: HALF,
    groups: (users) => [
      { users, order: { ...PLAIN, tokens: 800, tokensPerChunk: 4, usage: 'never' }, behaviour: READS },
    ],
    goal: null,
    isSequel: false,
  },
  // A tenth each.
  {
    name: 'half load, streams cut and left',
    load: HALF,
    groups: (users) => [
      { users: users - 2 * tenth(users), order: PLAIN, behaviour: READS },
      { users: tenth(users), order: { ...PLAIN, cutAfterChunks: 70 }, behaviour: READS },
      { users: tenth(users), order: PLAIN, behaviour: { kind: 'leaves', afterMs: 1_500 } },
    ],
    goal: null,
    isSequel: false,
  },
  // One in twenty stops reading for three seconds at a time.
  {
    name: 'half load, slow clients',
    load: HALF,
    groups: (users) => {
      const slow = Math.max(1, Math.round(users / 20));
      return [
        { users: users - slow, order: PLAIN, behaviour: READS },
        { users: slow, order: SLOW, behaviour: { kind: 'stops', forMs: STOPPED_MS } },
      ];
    },
    goal: null,
    isSequel: false,
  },
];

export const CASES: readonly TruthCase[] = [...LEVELS, ...CIRCUMSTANCES];

function tenth(users: number): number {
  return Math.max(1, Math.round(users / 10));
}
