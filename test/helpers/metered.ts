import { Ledger } from '../../src/ledger/ledger.ts';
import { Backlog } from '../../src/meter/backlog.ts';
import type { FinishedRequest } from '../../src/meter/finished.ts';
import type { LocalCounting } from '../../src/meter/local-counting.ts';
import type { OpenDecoder } from '../../src/meter/opening.ts';
import type { Ending } from '../../src/meter/outcome.ts';
import { RequestMeter } from '../../src/meter/request-meter.ts';
import type { SloTargets } from '../../src/meter/slo.ts';
import type { DegradeReason, Dialect, UsageSnapshot } from '../../src/wire/facts.ts';
import { NO_FACTS, type RequestFacts } from '../../src/wire/request-facts.ts';
import { headOf } from './fact-log.ts';
import { ManualClock } from './manual-clock.ts';
import { type Script, scriptedDialect } from './scripted-dialect.ts';

export interface MeteredOptions {
  stream?: boolean;
  terminal?: number;
  estimates?: boolean;
  dialect?: Dialect;
  ledger?: Ledger;
  clock?: ManualClock;
  localCounting?: LocalCounting;
  /** The request says itself what usage it wants. */
  setsUsage?: boolean;
  /** What else the request says. */
  facts?: Partial<RequestFacts>;
  openDecoder?: OpenDecoder;
  targets?: SloTargets;
  /** Bound on one event, in bytes. */
  eventBytes?: number;
  /** Nothing has come but the head of the request. */
  streamsByDefault?: boolean;
}

function newLedger(clock: ManualClock): Ledger {
  const activity = { tokens() {}, spread() {}, worked() {}, phase() {} };
  return new Ledger({ clock, maxLabelSets: 200, maxModels: 100, activityOf: () => activity });
}

/** One metered request on a manual clock, with a real ledger behind it. */
export function metered(scripts: readonly Script[], options: MeteredOptions = {}) {
  const clock = options.clock ?? new ManualClock();
  const ledger = options.ledger ?? newLedger(clock);
  const finished: FinishedRequest[] = [];
  const degraded: DegradeReason[] = [];
  const firstTokens: number[] = [];
  const streamed = options.stream ?? true;
  const terminal = options.terminal === undefined ? {} : { terminal: options.terminal };
  const backlog = new Backlog(() => {});
  const account = ledger.open('u', 'default', 'openai.chat');
  const meter = new RequestMeter(
    {
      id: 'r1',
      t0Ms: clock.nowMs(),
      startedEpochMs: clock.epochMs(),
      upstream: 'u',
      method: 'POST',
      path: '/v1/chat/completions',
      api: 'openai.chat',
      generation: true,
      streamsByDefault: options.streamsByDefault ?? false,
      requestedModelFromPath: null,
      workload: 'default',
      targets: options.targets ?? null,
      requestId: null,
      traceId: null,
    },
    {
      clock,
      account,
      backlog,
      dialect: options.dialect ?? scriptedDialect(scripts, { streamed, ...terminal }),
      eventBytes: options.eventBytes ?? 1_000_000,
      estimates: options.estimates ?? true,
      localCounting: options.localCounting ?? null,
      openDecoder: options.openDecoder ?? (() => null),
      worker: 0,
      instance: 'test',
      onFirstToken: (_labels, ttftMs) => firstTokens.push(ttftMs),
      onFinish: (request) => finished.push(request),
      onDegraded: (reason) => degraded.push(reason),
    },
  );
  return {
    clock,
    ledger,
    account,
    backlog,
    meter,
    finished,
    degraded,
    firstTokens,
    /** Request body read and complete, answer head received. */
    begin(status = 200, encoding = '') {
      const setsUsage = options.setsUsage ?? false;
      meter.body({ ...NO_FACTS, model: 'm', stream: streamed, setsUsage, ...options.facts });
      meter.bodyEnded(10, clock.nowMs());
      const mediaType = streamed ? 'text/event-stream' : 'application/json';
      const head = headOf(mediaType, status);
      meter.answerHead({ ...head, contentEncoding: encoding, upstreamRequestId: null }, clock.nowMs());
    },
    /** The next `count` scripted events arrive, `afterMs` later, in one read. */
    arrive(afterMs: number, count = 1) {
      clock.advance(afterMs);
      meter.chunk(new Uint8Array(count), clock.nowMs());
    },
    finish(kind: Ending['kind'] = 'upstream_end', status = 200) {
      meter.finish({ kind, status, error: null }, clock.nowMs());
      const record = finished[0]?.record;
      if (record === undefined) throw new Error('the record is not there yet');
      return record;
    },
  };
}

// The facts that scripts are made of.
export const text =
  (characters: string, choice = 0): Script =>
  (sink) =>
    sink.output(choice, 'content', characters);
export const reasoning =
  (characters: string): Script =>
  (sink) =>
    sink.output(0, 'reasoning', characters);
export const nothing: Script = () => {};
export const usage =
  (input: number, output: number, more: { final?: boolean } & UsageSnapshot = {}): Script =>
  (sink) => {
    const { final = true, ...extra } = more;
    sink.usage({ inputTokens: input, outputTokens: output, ...extra }, final);
  };
export const both =
  (...scripts: Script[]): Script =>
  (sink) => {
    for (const script of scripts) script(sink);
  };
