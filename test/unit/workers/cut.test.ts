import { describe, expect, it } from 'vitest';
import type { FinishedRequest } from '../../../src/meter/finished.ts';
import { RequestMeter } from '../../../src/meter/request-meter.ts';
import { NO_FACTS } from '../../../src/wire/request-facts.ts';
import { headOf } from '../../helpers/fact-log.ts';
import { reasoning, text, usage } from '../../helpers/metered.ts';
import { type Script, scriptedDialect } from '../../helpers/scripted-dialect.ts';
import { openingOf, workerPair } from '../../helpers/worker-pair.ts';

const EVERY_MS = 20;

/** A request in a worker: its whole life but for the end. */
function running(scripts: readonly Script[], targets = openingOf().targets) {
  const pair = workerPair();
  const own: FinishedRequest[] = [];
  const opening = openingOf({ t0Ms: pair.clock.nowMs(), startedEpochMs: pair.clock.epochMs(), targets });
  const account = pair.open(opening);
  const meter = new RequestMeter(opening, {
    clock: pair.clock,
    account,
    backlog: pair.backlog,
    dialect: scriptedDialect(scripts, { streamed: true }),
    eventBytes: 1_000_000,
    estimates: true,
    localCounting: null,
    openDecoder: () => null,
    worker: 1,
    instance: 'here',
    onFirstToken: (_labels, ttftMs) => account.firstToken(ttftMs),
    onFinish: (finished) => {
      own.push(finished);
      account.finished(finished);
    },
    onDegraded: () => {},
  });
  account.meter = meter;
  meter.user('ada');
  meter.body({ ...NO_FACTS, model: 'm', stream: true });
  meter.bodyEnded(10, pair.clock.nowMs());
  const begin = () => {
    pair.clock.advance(100);
    const head = headOf('text/event-stream', 200);
    meter.answerHead({ ...head, contentEncoding: '', upstreamRequestId: 'up-1' }, pair.clock.nowMs());
  };
  return {
    ...pair,
    meter,
    own,
    begin,
    arrive() {
      pair.clock.advance(EVERY_MS);
      meter.chunk(new Uint8Array(1), pair.clock.nowMs());
    },
    /** What the first process writes, and what the worker would have written. */
    died(): [FinishedRequest | undefined, FinishedRequest | undefined] {
      pair.replay.died(pair.clock.nowMs());
      meter.finish({ kind: 'gateway_shutdown', status: 200, error: null }, pair.clock.nowMs());
      return [pair.finished[0], own[0]];
    },
  };
}

describe('the record of a request whose worker died', () => {
  const targets = { ttft: 5_000, tpot: 10, speed: null, gap: 1_000, e2e: null };

  it.each<[string, Script[]]>([
    ['by the live estimate', [text('abcd'), text('efgh'), reasoning('ijkl'), text('mnop')]],
    ['by the running count', [usage(7, 1, { final: false }), text('abcd'), usage(7, 9, { final: false })]],
    ['of several choices', [text('abcd', 0), text('efgh', 1), text('ijkl', 0), text('mnop', 1)]],
  ])('is what the worker would have written, when all was heard: %s', (_, scripts) => {
    const request = running(scripts, targets);
    request.begin();
    for (const _script of scripts) request.arrive();
    request.beat();
    const [written, own] = request.died();
    expect(written).toEqual(own);
    expect(written?.record).toMatchObject({
      outcome: 'gateway_shutdown',
      user: 'ada',
      model: 'm',
      chunks: scripts.length,
    });
    expect(written?.record.output_tokens).toBeGreaterThan(0);
  });

  it('before its answer: no token, and the code that a cut request is told', () => {
    const request = running([]);
    request.beat();
    const [written] = request.died();
    expect(written?.record).toMatchObject({
      ...{ outcome: 'gateway_shutdown', status: 503, usage_source: 'none', output_tokens: null, ttft_ms: null },
      ...{ user: 'ada', requested_model: 'm', model: null, worker: 1, instance: 'here', request_bytes: 10 },
    });
  });

  it('holds the output that was heard after it was last said what a record would say', () => {
    const request = running(Array.from({ length: 40 }, () => text('abcd')));
    request.begin();
    request.arrive();
    request.beat();
    for (let chunk = 0; chunk < 20; chunk += 1) request.arrive();
    request.flush();
    const [written] = request.died();
    expect(written?.record).toMatchObject({ chunks: 21, output_characters: 84, output_tokens: 21 });
  });

  it("is the request's own when it had told its end", () => {
    const request = running([text('abcd'), text('efgh')]);
    request.begin();
    request.arrive();
    request.meter.finish({ kind: 'client_left', status: 200, error: null }, request.clock.nowMs());
    request.flush();
    request.replay.died(request.clock.nowMs());
    expect(request.finished.map(({ record }) => record.outcome)).toEqual(['client_aborted']);
  });
});

it('concurrency is that of the machine: of all workers together', () => {
  const request = running([text('abcd')]);
  const others = [request.books, request.books].map((books) => books.openAccount(openingOf()));
  for (const other of others) other.phase('decode', request.clock.nowMs());
  request.flush();
  request.begin();
  request.arrive();
  request.meter.finish({ kind: 'client_left', status: 200, error: null }, request.clock.nowMs());
  request.flush();
  expect(request.finished[0]?.record.concurrency_at_start).toBe(3);
  expect(request.own[0]?.record.concurrency_at_start).toBe(1);
});
