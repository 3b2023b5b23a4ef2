import { describe, expect, it } from 'vitest';
import { RunningRequests } from '../../../src/live/running-requests.ts';
import { RequestMeter } from '../../../src/meter/request-meter.ts';
import { NO_FACTS } from '../../../src/wire/request-facts.ts';
import { headOf } from '../../helpers/fact-log.ts';
import { text } from '../../helpers/metered.ts';
import { scriptedDialect } from '../../helpers/scripted-dialect.ts';
import { openingOf, workerPair } from '../../helpers/worker-pair.ts';

describe('a request that runs in a worker', () => {
  it('is seen in the first process: who asked, its phase, its model, its tokens and its speed', () => {
    const pair = workerPair();
    const running = new RunningRequests();
    const { openAccount } = pair.books;
    pair.books.openAccount = (opening) => {
      const account = openAccount(opening);
      running.began(opening, account);
      return account;
    };
    const opening = openingOf({ t0Ms: pair.clock.nowMs() });
    const account = pair.open(opening);
    const meter = new RequestMeter(opening, {
      clock: pair.clock,
      account,
      backlog: pair.backlog,
      dialect: scriptedDialect(Array(101).fill(text('four')), { streamed: true }),
      eventBytes: 1_000_000,
      estimates: true,
      localCounting: null,
      openDecoder: () => null,
      worker: 1,
      instance: 'here',
      onFirstToken: () => {},
      onFinish: (finished) => account.finished(finished),
      onDegraded: () => {},
    });
    account.meter = meter;
    const seen = () => running.snapshot(pair.clock.nowMs()).requests;
    meter.user('ada');
    meter.body({ ...NO_FACTS, model: 'm', stream: true });
    meter.bodyEnded(10, pair.clock.nowMs());
    const head = { ...headOf('text/event-stream', 200), contentEncoding: '', upstreamRequestId: null };
    meter.answerHead(head, pair.clock.nowMs());
    pair.beat();
    expect(seen()).toMatchObject([{ user: 'ada', model: 'm', phase: 'prefill', tokens: 0, speed: null }]);
    meter.chunk(new Uint8Array(1), pair.clock.nowMs());
    for (let second = 0; second < 5; second += 1) {
      pair.clock.advance(1_000);
      meter.chunk(new Uint8Array(20), pair.clock.nowMs());
      pair.beat();
    }
    expect(seen()).toMatchObject([{ phase: 'decode', tokens: 101, is_estimated: true, speed: 20, decode_ms: 5_000 }]);
    meter.finish({ kind: 'upstream_end', status: 200, error: null }, pair.clock.nowMs());
    pair.beat();
    expect(seen()).toEqual([]);
  });
});
