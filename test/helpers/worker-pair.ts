import { Ledger } from '../../src/ledger/ledger.ts';
import { UpstreamStatus } from '../../src/ledger/upstream-status.ts';
import { Throughput } from '../../src/live/throughput.ts';
import { Backlog } from '../../src/meter/backlog.ts';
import type { FinishedRequest } from '../../src/meter/finished.ts';
import type { RequestOpening } from '../../src/meter/opening.ts';
import { Outbox } from '../../src/workers/outbox.ts';
import type { Told } from '../../src/workers/protocol.ts';
import { RelayedAccount } from '../../src/workers/relayed-account.ts';
import { type Books, Replay } from '../../src/workers/replay.ts';
import { ManualClock } from './manual-clock.ts';

/** Books of a first process: a real ledger with real windows, and all that was finished in them. */
export function newBooks(clock: ManualClock) {
  const throughput = new Throughput();
  const ledger = new Ledger({
    clock,
    maxLabelSets: 4,
    maxModels: 3,
    activityOf: (upstream, model) => throughput.windowOf(upstream, model),
  });
  const status = new UpstreamStatus('u', clock);
  const finished: FinishedRequest[] = [];
  const heard: string[] = [];
  const books: Books = {
    openAccount: ({ upstream, workload, api }) => ledger.open(upstream ?? 'unknown', workload, api),
    firstToken: (labels, ttftMs) => heard.push(`first token of ${labels.model} after ${ttftMs}`),
    finished: (request) => finished.push(request),
    statusOf: () => status,
    usageAsk: (upstream, result) => heard.push(`${upstream} ${result}`),
    degraded: (reason) => heard.push(reason),
    countedHere: (result) => heard.push(result),
  };
  return { ledger, throughput, status, finished, heard, books };
}

export function openingOf(change: Partial<RequestOpening> = {}): RequestOpening {
  return {
    id: 'r1',
    t0Ms: 1_000_000,
    startedEpochMs: Date.UTC(2026, 0, 2),
    upstream: 'u',
    method: 'POST',
    path: '/v1/chat/completions',
    api: 'openai.chat',
    generation: true,
    streamsByDefault: false,
    requestedModelFromPath: null,
    workload: 'default',
    targets: null,
    requestId: null,
    traceId: null,
    ...change,
  };
}

/** A worker's side and the first process's, with nothing between them but what the channel does to what is said. */
export function workerPair(clock = new ManualClock()) {
  const first = newBooks(clock);
  const outbox = new Outbox(clock);
  const backlog = new Backlog(() => {});
  const own = new Ledger({
    clock,
    maxLabelSets: 4,
    maxModels: 3,
    activityOf: () => ({ tokens() {}, spread() {}, worked() {}, phase() {} }),
  });
  const replay = new Replay({ books: first.books, worker: 1, instance: 'here', estimates: () => true });
  const deliver = (told: readonly Told[]) => {
    const arrived: Told[] = JSON.parse(JSON.stringify(told));
    for (const one of arrived) replay.apply(one);
  };
  return {
    ...first,
    clock,
    outbox,
    backlog,
    replay,
    open(change: Partial<RequestOpening> = {}) {
      const opening = openingOf(change);
      return new RelayedAccount(
        own.open(opening.upstream ?? 'unknown', opening.workload, opening.api),
        outbox,
        opening,
      );
    },
    flush: () => {
      backlog.catchUp();
      deliver(outbox.take());
    },
    beat: () => {
      backlog.catchUp();
      deliver(outbox.beat());
    },
  };
}

/** Everything a ledger shows, but for when it is read. */
export function shownBy(ledger: Ledger, clock: ManualClock) {
  const series = [...ledger.series()].map((one) => ({
    labels: one.labels,
    outputTokens: one.outputTokens,
    withheld: one.withheld,
    inFlight: { ...one.inFlight },
    decodeSeconds: one.phaseSeconds('decode', clock.nowMs()),
    prefillSeconds: one.phaseSeconds('prefill', clock.nowMs()),
    unstreamedSeconds: one.phaseSeconds('unstreamed', clock.nowMs()),
  }));
  const models = [...ledger.models()].map(({ upstream, model, settledAdded, settledWithheld }) => ({
    ...{ upstream, model, settledAdded, settledWithheld },
  }));
  return { series, models, overflow: { ...ledger.overflow } };
}
