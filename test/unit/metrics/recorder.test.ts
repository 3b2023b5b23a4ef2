import { describe, expect, it } from 'vitest';
import { GapBins } from '../../../src/meter/gaps.ts';
import { OUTCOMES, type Outcome, USAGE_SOURCES } from '../../../src/meter/record.ts';
import { configOf, finishedRequest, LABELS, newRecorder } from '../../helpers/recorder.ts';

const M = 'model="tiny",upstream="default"';
const W = 'model="tiny",upstream="default",workload="default"';
const UPSTREAM = 'name: default, url: "http://127.0.0.1:1"';
const extraOn = () => configOf(`{ upstreams: [ { ${UPSTREAM} } ], metrics: { extra: true } }`);

/** A request of which nothing was measured but that it was there. */
const UNMEASURED = {
  input_tokens: null,
  output_tokens: null,
  ttfb_ms: null,
  ttft_ms: null,
  ttfa_ms: null,
  tpot_ms: null,
  decode_ms: null,
  longest_gap_ms: null,
  user_speed_tokens_per_second: null,
  end_to_end_speed_tokens_per_second: null,
  characters_per_second: null,
};

function gapsOf(...ms: number[]): GapBins {
  const gaps = new GapBins();
  for (const gap of ms) gaps.add(gap);
  return gaps;
}

describe('a finished request', () => {
  it('is counted once, under the code that its client saw and its outcome', async () => {
    using pitot = newRecorder();
    pitot.recorder.finished(finishedRequest());
    pitot.recorder.finished(finishedRequest({ status: 429, outcome: 'upstream_error' }));
    const samples = await pitot.exposed();
    const count = (status: number, outcome: Outcome) =>
      samples.get(
        `pitot_requests_total{api="openai.chat",model="tiny",outcome="${outcome}",status="${status}",upstream="default",workload="default"}`,
      );
    expect(count(200, 'complete')).toBe(1);
    expect(count(429, 'upstream_error')).toBe(1);
    expect(count(500, 'upstream_error')).toBe(0);
    expect(samples.get(`pitot_request_duration_seconds_count{${W}}`)).toBe(2);
    expect(samples.get(`pitot_request_duration_seconds_sum{${W}}`)).toBeCloseTo(2.6);
  });

  it('is observed in seconds, in every histogram for which it has a value', async () => {
    using pitot = newRecorder({ config: extraOn() });
    pitot.recorder.firstToken(LABELS, 100);
    pitot.recorder.finished(finishedRequest({ ttfa_ms: 180 }, { gaps: gapsOf(20, 31) }));
    const samples = await pitot.exposed();
    const observed = (name: string, labels: string) => [
      samples.get(`${name}_count{${labels}}`),
      samples.get(`${name}_sum{${labels}}`),
    ];
    expect(observed('pitot_time_to_first_token_seconds', W)).toEqual([1, 0.1]);
    expect(observed('pitot_time_per_output_token_seconds', W)).toEqual([1, 0.02]);
    expect(observed('pitot_user_speed_tokens_per_second', W)).toEqual([1, 50]);
    expect(observed('pitot_request_longest_gap_seconds', W)).toEqual([1, 0.031]);
    expect(observed('pitot_time_to_first_byte_seconds', M)).toEqual([1, 0.09]);
    expect(observed('pitot_time_to_first_answer_seconds', M)).toEqual([1, 0.18]);
    expect(observed('pitot_inter_chunk_seconds', M)).toEqual([2, 0.051]);
    expect(observed('pitot_request_input_tokens', M)).toEqual([1, 12]);
    expect(observed('pitot_request_output_tokens', M)).toEqual([1, 34]);
    expect(observed('pitot_user_end_to_end_speed_tokens_per_second', M)).toEqual([1, 26.2]);
    expect(observed('pitot_user_speed_characters_per_second', M)).toEqual([1, 181.8]);
    expect(observed('pitot_prefill_speed_tokens_per_second', M)).toEqual([1, 120]);
    expect(samples.get(`pitot_inter_chunk_seconds_bucket{le="0.02",${M}}`)).toBe(1);
  });

  it('with nothing measured is not observed: unknown is not 0', async () => {
    using pitot = newRecorder({ config: extraOn() });
    pitot.recorder.finished(finishedRequest(UNMEASURED));
    const samples = await pitot.exposed();
    const counts = [...samples].filter(
      ([name, value]) => name.includes('_count{') && name.includes('model=') && value > 0,
    );
    expect(counts).toEqual([[`pitot_request_duration_seconds_count{${W}}`, 1]]);
    const tokens = [...samples].filter(([name, value]) => /^pitot_(user_)?(in|out)put_tokens/.test(name) && value > 0);
    expect(tokens).toEqual([]);
  });

  it('of a slow client stays out of TPOT, speeds and gaps, and in all else', async () => {
    using pitot = newRecorder({ config: extraOn() });
    pitot.recorder.firstToken(LABELS, 100);
    pitot.recorder.finished(finishedRequest({}, { slowClient: true, gaps: gapsOf(20) }));
    const samples = await pitot.exposed();
    const counts = [...samples].filter(([name]) => name.includes('_count{') && name.includes('model="tiny"'));
    expect(Object.fromEntries(counts)).toEqual({
      [`pitot_time_to_first_token_seconds_count{${W}}`]: 1,
      [`pitot_request_duration_seconds_count{${W}}`]: 1,
      [`pitot_time_to_first_byte_seconds_count{${M}}`]: 1,
      [`pitot_time_to_first_answer_seconds_count{${M}}`]: 1,
      [`pitot_request_input_tokens_count{${M}}`]: 1,
      [`pitot_request_output_tokens_count{${M}}`]: 1,
      [`pitot_prefill_speed_tokens_per_second_count{${M}}`]: 1,
      [`pitot_time_per_output_token_seconds_count{${W}}`]: 0,
      [`pitot_user_speed_tokens_per_second_count{${W}}`]: 0,
      [`pitot_request_longest_gap_seconds_count{${W}}`]: 0,
      [`pitot_inter_chunk_seconds_count{${M}}`]: 0,
      [`pitot_user_end_to_end_speed_tokens_per_second_count{${M}}`]: 0,
      [`pitot_user_speed_characters_per_second_count{${M}}`]: 0,
    });
  });

  it('does not tell its TTFT again: that was observed when the token came', async () => {
    using pitot = newRecorder();
    pitot.recorder.finished(finishedRequest({ ttft_ms: 100 }));
    const samples = await pitot.exposed();
    expect(samples.get(`pitot_time_to_first_token_seconds_count{${W}}`)).toBe(0);
  });

  it('that is no generation has an outcome and a duration, and no token or latency series', async () => {
    using pitot = newRecorder();
    pitot.recorder.finished(
      finishedRequest({ ...UNMEASURED, method: 'GET', api: 'other', usage_source: 'none' }, { generation: false }),
    );
    const names = [...(await pitot.exposed()).keys()].filter((name) => name.includes('model='));
    expect(new Set(names.map((name) => name.replace(/\{.*/, '')))).toEqual(
      new Set([
        'pitot_requests_total',
        'pitot_request_duration_seconds_bucket',
        'pitot_request_duration_seconds_sum',
        'pitot_request_duration_seconds_count',
      ]),
    );
  });
});

describe('input tokens', () => {
  it.each([
    ['cache not told apart', [100, null], { hit: 0, miss: 0, unknown: 100 }],
    ['a part from the cache', [100, 70], { hit: 70, miss: 30, unknown: 0 }],
    ['nothing from the cache', [100, 0], { hit: 0, miss: 100, unknown: 0 }],
    ['more cached than read', [100, 130], { hit: 100, miss: 0, unknown: 0 }],
    ['unknown', [null, 70], { hit: 0, miss: 0, unknown: 0 }],
  ] as const)('%s', async (_case, [input_tokens, cached_input_tokens], expected) => {
    using pitot = newRecorder();
    pitot.recorder.finished(finishedRequest({ input_tokens, cached_input_tokens }));
    const samples = await pitot.exposed();
    for (const [cache, tokens] of Object.entries(expected)) {
      expect(samples.get(`pitot_input_tokens_total{cache="${cache}",${W}}`)).toBe(tokens);
    }
  });
});

describe('wasted output tokens', () => {
  const REASONS: Record<Outcome, string | null> = {
    complete: null,
    client_aborted: 'client_aborted',
    truncated: 'truncated',
    error_in_stream: 'error',
    upstream_error: 'error',
    upstream_reset: 'error',
    upstream_timeout: 'error',
    upstream_unreachable: 'error',
    rejected: 'error',
    gateway_shutdown: 'error',
  };

  it.each(OUTCOMES)('of a request that ended as %s', async (outcome) => {
    using pitot = newRecorder();
    pitot.recorder.finished(finishedRequest({ outcome, output_tokens: 34, reasoning_tokens: 4 }));
    const samples = await pitot.exposed();
    for (const reason of ['client_aborted', 'error', 'truncated']) {
      const tokens = samples.get(
        `pitot_wasted_output_tokens_total{model="tiny",reason="${reason}",upstream="default"}`,
      );
      expect(tokens).toBe(reason === REASONS[outcome] ? 34 : 0);
    }
    expect(samples.get(`pitot_reasoning_tokens_total{${M}}`)).toBe(4);
  });
});

describe('users', () => {
  const capped = configOf(`{ upstreams: [ { ${UPSTREAM} } ], identity: { max_users: 2 } }`);

  it('are counted in four counters; without identity they are unknown, past the cap other, and that is told', async () => {
    using pitot = newRecorder({ config: capped });
    for (const user of ['ada', 'bob', 'eve', 'mal', null, 'ada'])
      pitot.recorder.finished(finishedRequest({}, { user }));
    const samples = await pitot.exposed();
    const requests = [...samples].filter(([name]) => name.startsWith('pitot_user_requests_total'));
    expect(Object.fromEntries(requests)).toEqual({
      'pitot_user_requests_total{user="ada"}': 2,
      'pitot_user_requests_total{user="bob"}': 1,
      'pitot_user_requests_total{user="other"}': 2,
      'pitot_user_requests_total{user="unknown"}': 1,
    });
    expect(samples.get('pitot_user_input_tokens_total{user="ada"}')).toBe(24);
    expect(samples.get('pitot_user_output_tokens_total{user="ada"}')).toBe(68);
    expect(samples.get('pitot_user_decode_seconds_total{user="ada"}')).toBeCloseTo(1.32);
    expect(samples.get('pitot_label_overflow_total{label="user"}')).toBe(2);
  });

  it('keep their label when a reload changes the cap', async () => {
    using pitot = newRecorder({ config: capped });
    const finish = (...users: string[]) => {
      for (const user of users) pitot.recorder.finished(finishedRequest({}, { user }));
    };
    finish('ada', 'bob', 'eve');
    pitot.recorder.configure({ ...capped, identity: { ...capped.identity, max_users: 3 } });
    finish('eve', 'mal');
    pitot.recorder.configure({ ...capped, identity: { ...capped.identity, max_users: 1 } });
    finish('ada', 'mal');
    const requests = [...(await pitot.exposed())].filter(([name]) => name.startsWith('pitot_user_requests_total'));
    expect(Object.fromEntries(requests)).toEqual({
      'pitot_user_requests_total{user="ada"}': 2,
      'pitot_user_requests_total{user="bob"}': 1,
      'pitot_user_requests_total{user="eve"}': 1,
      'pitot_user_requests_total{user="other"}': 3,
    });
  });
});

describe('what cannot be true', () => {
  it('stays out of every metric and is counted as a fault of the meter', async () => {
    using pitot = newRecorder();
    pitot.recorder.firstToken(LABELS, Number.NaN);
    pitot.recorder.relayDelay(Number.POSITIVE_INFINITY);
    pitot.recorder.finished(finishedRequest({ tpot_ms: -1, e2e_ms: Number.NaN, output_tokens: Number.NaN }));
    const samples = await pitot.exposed();
    for (const [name, value] of samples) expect(Number.isFinite(value), name).toBe(true);
    expect(samples.get('pitot_meter_degraded_total{reason="meter_error"}')).toBe(6);
  });

  it('cannot mint series: past fifty made-up status codes the rest is other', async () => {
    using pitot = newRecorder();
    for (let status = 600; status < 800; status += 1) {
      pitot.recorder.finished(finishedRequest({ status, outcome: 'upstream_error' }));
    }
    const samples = await pitot.exposed();
    const series = [...samples].filter(([name]) => name.startsWith('pitot_requests_total'));
    expect(series.length).toBeLessThanOrEqual(OUTCOMES.length + 51);
    expect(series.reduce((sum, [, value]) => sum + value, 0)).toBe(200);
    expect(samples.get('pitot_label_overflow_total{label="status"}')).toBe(150);
  });
});

describe('metered requests', () => {
  it('are finished generations by usage source', async () => {
    using pitot = newRecorder();
    for (const usage_source of USAGE_SOURCES) pitot.recorder.finished(finishedRequest({ usage_source }));
    pitot.recorder.finished(finishedRequest({ usage_source: 'none' }, { generation: false }));
    const samples = await pitot.exposed();
    for (const source of USAGE_SOURCES) {
      expect(samples.get(`pitot_metered_requests_total{model="tiny",source="${source}",upstream="default"}`)).toBe(1);
    }
  });
});

describe('switches of the configuration', () => {
  const namesWith = async (metrics: string) => {
    using pitot = newRecorder({ config: configOf(`{ upstreams: [ { ${UPSTREAM} } ], metrics: ${metrics} }`) });
    pitot.recorder.finished(finishedRequest());
    return [...(await pitot.exposed()).keys()].join('\n');
  };

  it('metrics.extra adds the extra speeds', async () => {
    const extra = /end_to_end_speed|characters_per_second|prefill_speed/;
    expect(await namesWith('{ extra: false }')).not.toMatch(extra);
    expect(await namesWith('{ extra: true }')).toMatch(extra);
  });

  it('metrics.process adds process and runtime', async () => {
    expect(await namesWith('{ process: false }')).not.toMatch(/^(process|nodejs)_/m);
    expect(await namesWith('{ process: true }')).toMatch(/^process_cpu_seconds_total$/m);
  });

  it('SLO targets of all workloads become buckets', async () => {
    const workloads = `
      - { name: a, slo: { ttft: 333ms, tpot: 44ms, gap: 1700ms, e2e: 77s } }
      - { name: b, match: { header: { x: y } }, slo: { ttft: 2500ms, speed: 33 } }`;
    using pitot = newRecorder({ config: configOf(`upstreams: [ { ${UPSTREAM} } ]\nworkloads:${workloads}`) });
    pitot.recorder.finished(finishedRequest());
    const samples = await pitot.exposed();
    const has = (name: string, bound: number) => samples.has(`pitot_${name}_bucket{le="${bound}",${W}}`);
    expect(has('time_to_first_token_seconds', 0.333)).toBe(true);
    expect(has('time_to_first_token_seconds', 2.5)).toBe(true);
    expect(has('time_per_output_token_seconds', 0.044)).toBe(true);
    expect(has('request_longest_gap_seconds', 1.7)).toBe(true);
    expect(has('request_duration_seconds', 77)).toBe(true);
    expect(has('user_speed_tokens_per_second', 33)).toBe(true);
  });
});
