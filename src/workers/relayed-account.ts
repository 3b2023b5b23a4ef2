import type { Emission } from '../ledger/account.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import type { Judged, LiveAccount, SeriesLabels, Settlement } from '../meter/live-account.ts';
import type { RequestOpening } from '../meter/opening.ts';
import type { Phase } from '../meter/record.ts';
import type { Gathering, Haste, Outbox, Reporting } from './outbox.ts';
import type { SoFar, Told } from './protocol.ts';

/** A running request's meter, as far as it is asked what its record would say. */
export interface Metered {
  readonly soFar: SoFar;
}

/**
 * The account of a request in a worker: the worker's own ledger keeps it, since estimates are needed at
 * once, and everything is told to the first process, whose ledger is the one that counts.
 */
export class RelayedAccount implements LiveAccount, Gathering, Reporting {
  /** Set once the request has one. */
  meter: Metered | null = null;
  /** Told with what its record would say. */
  user: string | null = null;
  readonly #own: LiveAccount;
  readonly #outbox: Outbox;
  readonly #request: number;
  #pending: Emission | null = null;
  #runningTokens = 0;
  #reportedBytes = -1;
  #reportedStatus = -1;

  constructor(own: LiveAccount, outbox: Outbox, opening: RequestOpening) {
    this.#own = own;
    this.#outbox = outbox;
    this.#request = outbox.began(this);
    outbox.push(['opened', outbox.clock.nowMs(), this.#request, opening]);
  }

  get labels(): SeriesLabels {
    return this.#own.labels;
  }

  get expectsReport(): boolean {
    return this.#own.expectsReport;
  }

  /** Of this worker only; the first process knows that of the machine. */
  get concurrencyAtStart(): number | null {
    return this.#own.concurrencyAtStart;
  }

  requested(model: string | null): void {
    this.#own.requested(model);
    this.#tell(['requested', this.#nowMs, this.#request, model]);
  }

  asksForUsage(asks: boolean): void {
    this.#own.asksForUsage(asks);
    if (asks) this.#tell(['asksForUsage', this.#nowMs, this.#request, asks]);
  }

  confirmModel(answered: string | null): void {
    this.#own.confirmModel(answered);
    this.#tell(['confirmed', this.#nowMs, this.#request, answered]);
  }

  phase(phase: Phase | null, atMs: number): void {
    this.#own.phase(phase, atMs);
    this.#tell(['phase', atMs, this.#request, phase]);
  }

  firstTokenDue(atMs: number | null): void {
    this.#own.firstTokenDue(atMs);
    this.#tell(['tokenDue', this.#nowMs, this.#request, atMs]);
  }

  firstToken(ttftMs: number): void {
    this.#tell(['firstToken', this.#nowMs, this.#request, ttftMs]);
  }

  /** On the path of every chunk: adds numbers up, and makes one object between two beats. */
  emitted(characters: number, runningTokens: number | null, atMs: number): void {
    this.#own.emitted(characters, runningTokens, atMs);
    let pending = this.#pending;
    if (pending === null) {
      pending = { characters: 0, chunks: 0, running: null, atMs };
      this.#pending = pending;
      this.#outbox.gather(this);
    }
    pending.characters += characters;
    pending.chunks += 1;
    pending.atMs = atMs;
    if (runningTokens !== null && runningTokens > this.#runningTokens) {
      this.#runningTokens = runningTokens;
      pending.running = { tokens: runningTokens, since: { characters: 0, chunks: 0 } };
    } else if (pending.running !== null) {
      pending.running.since.characters += characters;
      pending.running.since.chunks += 1;
    }
  }

  estimate(): number {
    return this.#own.estimate();
  }

  estimateOf(characters: number): number | null {
    return this.#own.estimateOf(characters);
  }

  settle(settlement: Settlement): void {
    this.#own.settle(settlement);
    this.#tell(['settled', this.#nowMs, this.#request, settlement]);
  }

  judged(judged: Judged): void {
    this.#own.judged(judged);
    this.#tell(['judged', this.#nowMs, this.#request, judged]);
  }

  finished({ labels: _ofThisWorker, gaps, ...finished }: FinishedRequest): void {
    this.#outbox.ended(this.#request);
    this.#tell(['finished', this.#nowMs, this.#request, { ...finished, gaps: gaps?.soFar ?? null }], 'now');
  }

  gathered(): Told | null {
    const pending = this.#pending;
    if (pending === null) return null;
    this.#pending = null;
    const { atMs, ...emission } = pending;
    return ['emitted', atMs, this.#request, emission];
  }

  report(): Told | null {
    const soFar = this.meter?.soFar;
    if (soFar === undefined) return null;
    const { responseBytes, requestBytes, status } = soFar.request;
    if (responseBytes + requestBytes === this.#reportedBytes && status === this.#reportedStatus) return null;
    this.#reportedBytes = responseBytes + requestBytes;
    this.#reportedStatus = status;
    return ['soFar', this.#nowMs, this.#request, soFar];
  }

  #tell(told: Told, haste: Haste = 'soon'): void {
    this.#outbox.collect(this);
    this.#outbox.push(told, haste);
  }

  get #nowMs(): number {
    return this.#outbox.clock.nowMs();
  }
}
