import type { TokenAsk } from './engine-sequence.ts';
import { logUniformInteger, pick, type Random } from './random.ts';

/** Steps of about equal ratio, so that each octave of concurrency gets the same time. */
const WALK = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] as const;

/** No load asks for more than this at once, whatever the time. */
export const PEAK_CONCURRENCY = 32;

/** One walk up and down, in milliseconds. */
export const CYCLE_MS = 120_000;

/** How many requests should be in flight `elapsedMs` after the start: 1 → 32 → 1 in a cycle of two minutes, in equal times. */
export function concurrencyAt(elapsedMs: number): number {
  const stages = 2 * WALK.length - 2;
  const stage = Math.floor(((elapsedMs % CYCLE_MS) / CYCLE_MS) * stages);
  return WALK[stage < WALK.length ? stage : stages - stage] ?? 1;
}

/** The simulated users; who stands here more often asks more often. */
const USERS = ['ada', 'ada', 'ada', 'ada', 'grace', 'grace', 'grace', 'alan', 'alan', 'edsger'] as const;

/** Lengths in tokens; the screen states them beside the throughput, which depends on them. */
export const LENGTHS = {
  chat: { input: { least: 60, most: 2_000 }, output: { least: 40, most: 400 } },
  batch: { input: { least: 500, most: 4_000 }, output: { least: 40, most: 200 } },
} as const;

/** Of all requests: unstreamed batch work; of the chats: users who leave in the middle. */
export const BATCH_SHARE = 0.15;
const LEAVER_SHARE = 0.03;

/** One request as the load wants it sent. */
export interface PlannedRequest {
  kind: 'chat' | 'batch';
  user: string;
  tokens: TokenAsk;
  /** Half of the clients ask for usage themselves; for the rest it is up to the gateway. */
  asksUsage: boolean;
  /** The client leaves when it has seen this many events; null: it stays to the end. */
  leavesAfterEvents: number | null;
}

/** Draws the next request. The same random sequence gives the same requests. */
export function planRequest(random: Random): PlannedRequest {
  const kind = random() < BATCH_SHARE ? 'batch' : 'chat';
  const { input, output } = LENGTHS[kind];
  const user = pick(random, USERS);
  const tokens = {
    inputTokens: logUniformInteger(random, input.least, input.most),
    outputTokens: logUniformInteger(random, output.least, output.most),
  };
  const asksUsage = random() < 0.5;
  const leaves = kind === 'chat' && random() < LEAVER_SHARE;
  return { kind, user, tokens, asksUsage, leavesAfterEvents: leaves ? Math.ceil(tokens.outputTokens / 3) : null };
}
