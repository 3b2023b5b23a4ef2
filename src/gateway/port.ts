import type { Clock } from '../clock.ts';
import type { LimitsConfig } from '../config/schema.ts';
import type { MemoryBound } from '../meter/memory-bound.ts';
import type { Ongoing } from './connections.ts';
import type { DataPortOptions } from './options.ts';
import type { Routes } from './routes.ts';

/** What the requests of one data port share. */
export interface Port {
  readonly options: Omit<DataPortOptions, 'config'>;
  readonly clock: Clock;
  /** As configured now; a reload replaces it for the next request. */
  readonly limits: LimitsConfig;
  readonly routes: Routes;
  readonly held: MemoryBound;
  /** Answers ask their clients to close the connection. */
  readonly isDraining: boolean;
  /** The grace is over: what comes now is refused. */
  readonly isClosing: boolean;
  nextId(): string;
  began(exchange: Ongoing): void;
  ended(exchange: Ongoing): void;
  meterFault(error: unknown): void;
}
