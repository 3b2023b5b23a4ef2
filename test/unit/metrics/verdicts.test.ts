import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/schema.ts';
import type { LiveAccount } from '../../../src/meter/live-account.ts';
import type { Judgement } from '../../../src/meter/slo.ts';
import { configOf, newRecorder } from '../../helpers/recorder.ts';

const CHAT = '{ name: chat, slo: { ttft: 500ms, tpot: 40ms, objective: 0.95 } }';
const GOOD: Judgement = { verdicts: { ttft: true, tpot: true, all: true }, undecided: [] };
const BAD: Judgement = { verdicts: { ttft: true, tpot: false, all: false }, undecided: [] };
const LEFT: Judgement = { verdicts: {}, undecided: ['ttft', 'all'] };

const configWith = (workloads: string): Config =>
  configOf(`{ upstreams: [ { name: default, url: "http://127.0.0.1:1" } ], workloads: [ ${workloads} ] }`);

type Pitot = ReturnType<typeof newRecorder>;

function open({ ledger, clock }: Pitot, workload = 'chat'): LiveAccount {
  const account = ledger.open('default', workload, 'openai.chat');
  account.requested('tiny');
  account.confirmModel('tiny');
  account.phase('prefill', clock.nowMs());
  return account;
}

function finish(pitot: Pitot, judgement: Judgement, outputTokens: number | null = 34): void {
  const account = open(pitot);
  account.phase(null, pitot.clock.nowMs());
  account.judged({ judgement, outputTokens, endMs: pitot.clock.nowMs() });
}

/** The samples of one metric, by the values of some labels. */
async function samplesOf(pitot: Pitot, name: string, labels: readonly string[]) {
  const samples: Record<string, number> = {};
  for (const [key, value] of await pitot.exposed()) {
    if (!key.startsWith(`${name}{`) || key.includes('model="unknown"')) continue;
    const values = labels.map((label) => new RegExp(`[{,]${label}="([^"]*)"`).exec(key)?.[1]);
    samples[values.join(' ')] = value;
  }
  return samples;
}

const verdictsOf = (pitot: Pitot) => samplesOf(pitot, 'pitot_slo_requests_total', ['slo', 'verdict']);
const undecidedOf = (pitot: Pitot) => samplesOf(pitot, 'pitot_slo_undecided_requests_total', ['slo']);

const NO_VERDICTS = { 'ttft good': 0, 'ttft bad': 0, 'tpot good': 0, 'tpot bad': 0, 'all good': 0, 'all bad': 0 };

describe('verdicts', () => {
  it('of a label set start at 0 with its first generation, for the SLOs of its workload', async () => {
    using pitot = newRecorder({ config: configWith(CHAT) });
    pitot.ledger.open('default', 'chat', 'other').confirmModel('tiny');
    expect(await verdictsOf(pitot)).toEqual({});
    open(pitot);
    expect(await verdictsOf(pitot)).toEqual(NO_VERDICTS);
    // The time of a token is known where there are tokens: nobody leaves before it.
    expect(await undecidedOf(pitot)).toEqual({ ttft: 0, all: 0 });
    expect(await samplesOf(pitot, 'pitot_good_output_tokens_total', ['workload'])).toEqual({ chat: 0 });
  });

  it('are counted by workload and SLO, with the tokens of good ones', async () => {
    using pitot = newRecorder({ config: configWith(CHAT) });
    finish(pitot, GOOD);
    finish(pitot, GOOD, null);
    finish(pitot, BAD);
    finish(pitot, LEFT);
    expect(await verdictsOf(pitot)).toEqual({
      'ttft good': 3,
      'ttft bad': 0,
      'tpot good': 2,
      'tpot bad': 1,
      'all good': 2,
      'all bad': 1,
    });
    expect(await undecidedOf(pitot)).toEqual({ ttft: 1, all: 1 });
    expect(await samplesOf(pitot, 'pitot_good_output_tokens_total', ['workload'])).toEqual({ chat: 34 });
  });

  it('of a stuck prefill are bad in the first scrape after its time has passed', async () => {
    using pitot = newRecorder({ config: configWith(CHAT) });
    open(pitot).firstTokenDue(pitot.clock.nowMs() + 500);
    pitot.clock.advance(500);
    expect(await verdictsOf(pitot)).toEqual(NO_VERDICTS);
    pitot.clock.advance(1);
    expect(await verdictsOf(pitot)).toEqual({ ...NO_VERDICTS, 'ttft bad': 1, 'all bad': 1 });
  });

  it('are those that headers may ask for, too, where the workload allows it', async () => {
    using pitot = newRecorder({
      config: configWith('{ name: chat, slo: { speed: 20, gap: 1s }, slo_override: true }'),
    });
    open(pitot);
    const slos = Object.keys(await verdictsOf(pitot)).filter((key) => key.endsWith('good'));
    expect(slos).toEqual(['ttft good', 'speed good', 'gap good', 'all good']);
  });

  it('are none in a workload without targets', async () => {
    using pitot = newRecorder({ config: configWith('{ name: chat }') });
    open(pitot);
    open(pitot, 'default');
    for (const name of [
      'pitot_slo_requests_total',
      'pitot_slo_undecided_requests_total',
      'pitot_good_output_tokens_total',
    ])
      expect(await samplesOf(pitot, name, ['slo'])).toEqual({});
  });
});

const targetsOf = async (pitot: Pitot) => ({
  objective: await samplesOf(pitot, 'pitot_slo_objective_ratio', ['workload', 'slo']),
  seconds: await samplesOf(pitot, 'pitot_slo_threshold_seconds', ['workload', 'slo']),
  speed: await samplesOf(pitot, 'pitot_slo_min_speed_tokens_per_second', ['workload']),
});

describe('the targets', () => {
  it('are exported as configured, each where it is set', async () => {
    const slow = '{ name: slow, match: { header: { x: y } }, slo: { speed: 8, gap: 3s, e2e: 10m } }';
    using pitot = newRecorder({ config: configWith(`${slow}, ${CHAT}`) });
    expect(await targetsOf(pitot)).toEqual({
      objective: { 'slow speed': 0.99, 'slow gap': 0.99, 'slow e2e': 0.99, 'chat ttft': 0.95, 'chat tpot': 0.95 },
      seconds: { 'slow gap': 3, 'slow e2e': 600, 'chat ttft': 0.5, 'chat tpot': 0.04 },
      speed: { slow: 8 },
    });
  });

  it('follow a reload; what was counted before stays', async () => {
    using pitot = newRecorder({ config: configWith(CHAT) });
    finish(pitot, BAD);
    pitot.recorder.configure(configWith('{ name: chat, slo: { ttft: 1s, gap: 2s } }'));
    expect(await targetsOf(pitot)).toEqual({
      objective: { 'chat ttft': 0.99, 'chat gap': 0.99 },
      seconds: { 'chat ttft': 1, 'chat gap': 2 },
      speed: {},
    });
    expect(await verdictsOf(pitot)).toEqual({
      ...NO_VERDICTS,
      'ttft good': 1,
      'tpot bad': 1,
      'all bad': 1,
      'gap good': 0,
      'gap bad': 0,
    });
  });
});
