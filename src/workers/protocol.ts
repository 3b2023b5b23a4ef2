import type { Config } from '../config/schema.ts';
import type { Emission } from '../ledger/account.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import type { GapsSoFar } from '../meter/gaps.ts';
import type { Judged, Settlement } from '../meter/live-account.ts';
import type { LocalCountResult } from '../meter/local-counting.ts';
import type { RequestOpening } from '../meter/opening.ts';
import type { Phase } from '../meter/record.ts';
import type { AnswerSoFar, RequestSoFar } from '../meter/so-far.ts';
import type { FamilyReport } from '../metrics/process-series.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import type { DegradeReason } from '../wire/facts.ts';

/**
 * What a worker and the first process say to each other: plain data, as JSON over the channel that Node
 * opens with a forked process. Times are monotonic milliseconds of the machine (`systemClock`).
 */

/** One thing that happened in a worker: what, when, and to which of its requests, numbered as they came. */
export type Told =
  | readonly ['opened', atMs: number, request: number, opening: RequestOpening]
  | readonly ['requested', atMs: number, request: number, model: string | null]
  | readonly ['asksForUsage', atMs: number, request: number, asks: boolean]
  | readonly ['confirmed', atMs: number, request: number, answered: string | null]
  | readonly ['phase', atMs: number, request: number, phase: Phase | null]
  | readonly ['tokenDue', atMs: number, request: number, dueMs: number | null]
  | readonly ['emitted', atMs: number, request: number, emission: Omit<Emission, 'atMs'>]
  | readonly ['firstToken', atMs: number, request: number, ttftMs: number]
  | readonly ['settled', atMs: number, request: number, settlement: Settlement]
  | readonly ['judged', atMs: number, request: number, judged: Judged]
  | readonly ['soFar', atMs: number, request: number, soFar: SoFar]
  | readonly ['finished', atMs: number, request: number, finished: FinishedTold]
  | readonly ['upstream', atMs: number, upstream: string, event: UpstreamEvent]
  | readonly ['blocked', atMs: number, upstream: string, ms: number]
  | readonly ['engine', atMs: number, upstream: string, engine: string | null]
  | readonly ['asked', atMs: number, upstream: string, result: UsageAskResult]
  | readonly ['degraded', atMs: number, reason: DegradeReason]
  | readonly ['countedHere', atMs: number, result: LocalCountResult];

export type UpstreamEvent = 'started' | 'ended' | 'answered' | 'failed';

/** What the record of a request would say, should its worker not live to write it. */
export interface SoFar {
  request: RequestSoFar;
  answer: AnswerSoFar;
}

/** Labels are the first process's to choose. */
export type FinishedTold = Omit<FinishedRequest, 'labels' | 'gaps'> & { gaps: GapsSoFar | null };

export type FromWorker =
  /** It takes connections from now on. */
  | { kind: 'ready' }
  /** It cannot start, or not go on with a configuration, and this is why. */
  | { kind: 'failed'; sentence: string }
  /** This connection is its own from now on, and nothing has been read from it before this was sent. */
  | { kind: 'taken'; connection: number }
  | { kind: 'told'; told: readonly Told[] }
  /** What its own process is like. */
  | { kind: 'process'; families: readonly FamilyReport[] }
  /** A line of its log, as it is to be written. */
  | { kind: 'line'; line: string };

export type ToWorker =
  | { kind: 'start'; worker: number; config: Config }
  /** With a client's connection beside it, by a number that is given once in the life of a worker's process. */
  | { kind: 'connection'; connection: number }
  | { kind: 'configure'; config: Config }
  /** From now on answers close their connections. */
  | { kind: 'drain' }
  /** No more connections will come: what runs may end within the grace, then the process does. */
  | { kind: 'close'; graceMs: number };
