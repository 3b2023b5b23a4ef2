import type { Clock } from '../clock.ts';
import type { Api, DegradeReason, Dialect } from '../wire/facts.ts';
import type { Backlog } from './backlog.ts';
import type { FinishedSink, FirstTokenSink } from './finished.ts';
import type { LiveAccount } from './live-account.ts';
import type { LocalCounting } from './local-counting.ts';
import type { SloTargets } from './slo.ts';

/** What is known of a request when its head has been received. */
export interface RequestOpening {
  id: string;
  /** Request head received, monotonic milliseconds. */
  t0Ms: number;
  startedEpochMs: number;
  upstream: string | null;
  method: string;
  /** Without the query string. */
  path: string;
  api: Api;
  /** Method and path ask a model for output. */
  generation: boolean;
  /** The API streams unless told otherwise (Ollama). */
  streamsByDefault: boolean;
  requestedModelFromPath: string | null;
  workload: string;
  /** What it is judged by, as configured when it came; null: it is no metered generation, or its workload has no SLO. */
  targets: SloTargets | null;
  requestId: string | null;
  traceId: string | null;
}

export interface MeterParts {
  clock: Clock;
  account: LiveAccount;
  backlog: Backlog;
  /** Null: only bytes are counted (metering off, or an API without a dialect). */
  dialect: Dialect | null;
  /** Bound on one event of the answer, in bytes. */
  eventBytes: number;
  /** May a count be estimated where the upstream reports none (`estimate.enabled`). */
  estimates: boolean;
  /** The local tokenizer; null where there is none. */
  localCounting: LocalCounting | null;
  /** Plain bytes of an encoded answer; null where the encoding cannot be read. */
  openDecoder: OpenDecoder;
  worker: number;
  instance: string;
  onFirstToken: FirstTokenSink;
  onFinish: FinishedSink;
  onDegraded: (reason: DegradeReason) => void;
}

/** Takes an encoded answer apart, off the relay's path. Everything is handed on in order. */
export interface Decoder {
  push(bytes: Uint8Array, atMs: number): void;
  /** No more will come; `done` is called when everything that came was handed on. */
  end(done: () => void): void;
}

export interface Decoded {
  /** `atMs`: when the encoded bytes arrived. */
  plain(bytes: Uint8Array, atMs: number): void;
  /** The rest cannot be read: the bytes are broken, or they were too much. */
  failed(isBroken: boolean): void;
}

export type OpenDecoder = (encoding: string, decoded: Decoded) => Decoder | null;
