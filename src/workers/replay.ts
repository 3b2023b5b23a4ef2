import type { Account } from '../ledger/account.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import type { FinishedSink, FirstTokenSink } from '../meter/finished.ts';
import type { LocalCountResult } from '../meter/local-counting.ts';
import type { RequestOpening } from '../meter/opening.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import type { DegradeReason } from '../wire/facts.ts';
import type { Told, UpstreamEvent } from './protocol.ts';
import { RunningRequest } from './running-request.ts';

/** What counts, remembers and writes for the whole machine. */
export interface Books {
  /** A record is owed from now on. */
  openAccount(opening: RequestOpening): Account;
  firstToken: FirstTokenSink;
  finished: FinishedSink;
  statusOf(upstream: string): UpstreamStatus;
  usageAsk(upstream: string, result: UsageAskResult): void;
  degraded(reason: DegradeReason): void;
  countedHere(result: LocalCountResult): void;
}

export interface ReplayParts {
  books: Books;
  worker: number;
  instance: string;
  /** `estimate.enabled`, as configured now. */
  estimates: () => boolean;
}

/** Does with the books of the first process what one worker did with its own. */
export class Replay {
  readonly #parts: ReplayParts;
  readonly #running = new Map<number, RunningRequest>();
  /** Requests that this worker has under way at each upstream. */
  readonly #atUpstreams = new Map<string, number>();

  constructor(parts: ReplayParts) {
    this.#parts = parts;
  }

  apply(told: Told): void {
    const { books } = this.#parts;
    switch (told[0]) {
      case 'opened':
        this.#running.set(told[2], new RunningRequest(told[3], books.openAccount(told[3])));
        return;
      case 'finished':
        this.#finished(told);
        return;
      case 'upstream':
        this.#upstream(told[2], told[3], told[1]);
        return;
      case 'blocked':
        books.statusOf(told[2]).clientBlockedMs += told[3];
        return;
      case 'engine':
        books.statusOf(told[2]).engine = told[3];
        return;
      case 'asked':
        books.usageAsk(told[2], told[3]);
        return;
      case 'degraded':
        books.degraded(told[2]);
        return;
      case 'countedHere':
        books.countedHere(told[2]);
        return;
      default:
        this.#ofRequest(told);
    }
  }

  /** Its process is over: every request that it had ends, with a record of what was last heard of it. */
  died(atMs: number): void {
    const { books, worker, instance, estimates } = this.#parts;
    for (const request of this.#running.values()) {
      books.finished(request.cut(atMs, { worker, instance, estimates: estimates() }));
    }
    this.#running.clear();
    for (const [upstream, requests] of this.#atUpstreams) {
      for (let left = requests; left > 0; left -= 1) books.statusOf(upstream).requestEnded(atMs);
    }
    this.#atUpstreams.clear();
  }

  /** How many requests it has under way. */
  get running(): number {
    return this.#running.size;
  }

  #finished(told: Extract<Told, readonly ['finished', ...unknown[]]>): void {
    const request = this.#running.get(told[2]);
    this.#running.delete(told[2]);
    if (request !== undefined) this.#parts.books.finished(request.finished(told[3]));
  }

  #upstream(name: string, event: UpstreamEvent, atMs: number): void {
    const status = this.#parts.books.statusOf(name);
    if (event === 'answered') status.answered();
    else if (event === 'failed') status.failed();
    else {
      this.#atUpstreams.set(name, (this.#atUpstreams.get(name) ?? 0) + (event === 'started' ? 1 : -1));
      if (event === 'started') status.requestStarted(atMs);
      else status.requestEnded(atMs);
    }
  }

  #ofRequest(told: OfRequest): void {
    const request = this.#running.get(told[2]);
    if (request === undefined) return;
    const { account } = request;
    switch (told[0]) {
      case 'requested':
        request.requested(told[3]);
        break;
      case 'asksForUsage':
        account.asksForUsage(told[3]);
        break;
      case 'confirmed':
        request.confirmed(told[3]);
        break;
      case 'phase':
        account.phase(told[3], told[1]);
        break;
      case 'tokenDue':
        account.firstTokenDue(told[3]);
        break;
      case 'emitted':
        request.emitted({ ...told[3], atMs: told[1] });
        break;
      case 'firstToken':
        this.#parts.books.firstToken(account.labels, told[3]);
        break;
      case 'settled':
        account.settle(told[3]);
        break;
      case 'judged':
        account.judged(told[3]);
        break;
      case 'soFar':
        request.told(told[3]);
        break;
      default:
        told satisfies never;
    }
  }
}

/** What is told of one request while it runs. */
type OfRequest = Exclude<
  Extract<Told, readonly [string, number, number, unknown]>,
  readonly ['opened' | 'finished', ...unknown[]]
>;
