import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/workers/outbox.ts';
import { RelayedStatus } from '../../../src/workers/relayed-status.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { workerPair } from '../../helpers/worker-pair.ts';

/** So many are told with the next four beats: a second. */
const SECOND = 4;

const NOTHING_SAID = {
  request: {
    ...{ bodyEndMs: null, firstByteMs: null, requestBytes: 0, responseBytes: 0, clientBlockedMs: 0 },
    ...{ streamed: false, asksForStream: null, isAnswered: false, status: 0 },
    ...{ user: 'ada', model: null, requestedModel: null, upstreamRequestId: null },
  },
  answer: {
    ...{ read: false, streamed: false, hasReasoning: false, api: null, finishReason: null, serverTimings: null },
    timing: {
      ...{ firstTokenMs: null, firstAnswerMs: null, lastTokenMs: null },
      ...{ chunks: 0, characters: 0, choices: [], gaps: null },
    },
    usage: {},
  },
};

describe('the outbox of a worker', () => {
  it('adds up what a stream emits between two beats', () => {
    const { outbox, open, clock } = workerPair();
    const account = open();
    outbox.take();
    for (let chunk = 0; chunk < 12; chunk += 1) {
      clock.advance(20);
      account.emitted(4, null, clock.nowMs());
    }
    expect(outbox.takeUrgent()).toEqual([]);
    expect(outbox.take()).toEqual([['emitted', clock.nowMs(), 1, { characters: 48, chunks: 12, running: null }]]);
    expect(outbox.take()).toEqual([]);
  });

  it('tells what was emitted before whatever comes next of that request', () => {
    const { outbox, open, clock } = workerPair();
    const account = open();
    account.emitted(4, null, clock.nowMs());
    account.phase(null, clock.nowMs());
    expect(outbox.takeUrgent().map(([what]) => what)).toEqual(['opened', 'emitted', 'phase']);
  });

  it('keeps apart what came after the upstream had last counted', () => {
    const { outbox, open, clock } = workerPair();
    const account = open();
    outbox.take();
    for (const running of [null, 7, 9, null, 9]) account.emitted(10, running, clock.nowMs());
    const [told] = outbox.take();
    expect(told?.[3]).toEqual({
      ...{ characters: 50, chunks: 5 },
      running: { tokens: 9, since: { characters: 20, chunks: 2 } },
    });
  });

  it('hurries for what changes a state, more so for a record, and for output not at all', () => {
    const hurried: string[] = [];
    const outbox = new Outbox(new ManualClock(), (haste) => hurried.push(haste));
    outbox.push(['degraded', 0, 'bad_usage'], 'beat');
    expect(hurried).toEqual([]);
    outbox.push(['asked', 0, 'u', 'answered']);
    outbox.push(['asked', 0, 'u', 'answered'], 'now');
    expect(hurried).toEqual(['soon', 'now']);
  });

  it('says what a record would say: of a new request with the next beat, later once a second if there is news', () => {
    const { outbox, open } = workerPair();
    const soFar = structuredClone(NOTHING_SAID);
    open().meter = { soFar };
    const reports = () => {
      let count = 0;
      for (let beat = 0; beat < SECOND; beat += 1) {
        count += outbox.beat().filter(([what]) => what === 'soFar').length;
      }
      return count;
    };
    expect(outbox.beat().map(([what]) => what)).toEqual(['opened', 'soFar']);
    expect(reports()).toBe(0);
    soFar.request.responseBytes = 10;
    expect(reports()).toBe(1);
    expect(reports()).toBe(0);
    soFar.request.status = 200;
    expect(reports()).toBe(1);
  });
});

describe('an upstream as a worker tells of it', () => {
  it('is started, answered, failed and ended at the first process, and blocked for as long as was added', () => {
    const pair = workerPair();
    const status = new RelayedStatus('u', pair.outbox);
    status.requestStarted();
    pair.flush();
    expect(pair.status.inFlight).toBe(1);
    pair.clock.advance(100);
    status.answered();
    status.clientBlockedMs += 30;
    status.clientBlockedMs += 12;
    status.engine = 'vllm';
    status.engine = 'vllm';
    status.requestEnded();
    pair.clock.advance(500);
    pair.flush();
    expect(pair.status).toMatchObject({ inFlight: 0, up: true, clientBlockedMs: 42, engine: 'vllm' });
    expect(pair.status.busyMs()).toBeCloseTo(100);
    status.failed();
    pair.flush();
    expect(pair.status.up).toBe(false);
  });

  it('is not busy any more when the worker whose requests it had is dead', () => {
    const pair = workerPair();
    const status = new RelayedStatus('u', pair.outbox);
    status.requestStarted();
    status.requestStarted();
    status.requestEnded();
    pair.flush();
    pair.replay.died(pair.clock.nowMs());
    expect(pair.status.inFlight).toBe(0);
  });
});
