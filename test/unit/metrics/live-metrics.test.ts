import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../src/meter/record.ts';
import { DEGRADE_REASONS } from '../../../src/wire/facts.ts';
import { configOf, finishedRequest, newRecorder } from '../../helpers/recorder.ts';

type Pitot = ReturnType<typeof newRecorder>;

/** A generation that has just had its first token, under the model `tiny`. */
function decoding({ ledger, clock }: Pitot) {
  const account = ledger.open('default', 'default', 'openai.chat');
  account.requested('tiny');
  account.phase('prefill', clock.nowMs());
  account.confirmModel(null);
  account.phase('decode', clock.nowMs());
  return account;
}

const W = 'model="tiny",upstream="default",workload="default"';

describe('a label set that is seen for the first time', () => {
  it('has all its series at 0 while its first request still runs', async () => {
    using pitot = newRecorder();
    decoding(pitot);
    const samples = await pitot.exposed();
    const zero = (name: string) => expect(samples.get(name), name).toBe(0);
    for (const [outcome, status] of Object.entries({
      complete: 200,
      error_in_stream: 200,
      truncated: 200,
      client_aborted: 499,
      upstream_error: 500,
      upstream_reset: 502,
      upstream_unreachable: 502,
      upstream_timeout: 504,
      rejected: 503,
      gateway_shutdown: 503,
    })) {
      zero(
        `pitot_requests_total{api="openai.chat",model="tiny",outcome="${outcome}",status="${status}",upstream="default",workload="default"}`,
      );
    }
    for (const cache of ['hit', 'miss', 'unknown']) zero(`pitot_input_tokens_total{cache="${cache}",${W}}`);
    for (const source of ['reported', 'partial', 'estimated', 'none']) {
      zero(`pitot_metered_requests_total{model="tiny",source="${source}",upstream="default"}`);
    }
    for (const reason of ['client_aborted', 'error', 'truncated']) {
      zero(`pitot_wasted_output_tokens_total{model="tiny",reason="${reason}",upstream="default"}`);
    }
    for (const direction of ['added', 'withheld']) {
      zero(`pitot_settled_tokens_total{direction="${direction}",model="tiny",upstream="default"}`);
    }
    for (const phase of ['prefill', 'unstreamed']) {
      zero(`pitot_requests_in_flight{model="tiny",phase="${phase}",upstream="default",workload="default"}`);
      zero(`pitot_request_phase_seconds_total{model="tiny",phase="${phase}",upstream="default",workload="default"}`);
    }
    zero(`pitot_time_to_first_token_seconds_count{${W}}`);
    zero(`pitot_output_tokens_total{${W}}`);
  });

  it('starts the outcomes of an API at 0 when that API is first used', async () => {
    using pitot = newRecorder();
    decoding(pitot);
    await pitot.exposed();
    pitot.ledger.open('default', 'default', 'openai.completions');
    const requests = [...(await pitot.exposed()).keys()].filter(
      (name) => name.startsWith('pitot_requests_total') && name.includes('api="openai.completions"'),
    );
    expect(requests).toHaveLength(OUTCOMES.length);
  });
});

describe('series that need no traffic', () => {
  it('start at 0: reasons, overflows, records, asks of every configured upstream', async () => {
    const upstreams =
      '[ { name: a, url: "http://127.0.0.1:1", match: { path: /a } }, { name: b, url: "http://127.0.0.1:2" } ]';
    using pitot = newRecorder({ config: configOf(`upstreams: ${upstreams}`) });
    const samples = await pitot.exposed();
    for (const reason of DEGRADE_REASONS) expect(samples.get(`pitot_meter_degraded_total{reason="${reason}"}`)).toBe(0);
    for (const label of ['model', 'label_set', 'user', 'status']) {
      expect(samples.get(`pitot_label_overflow_total{label="${label}"}`)).toBe(0);
    }
    for (const result of ['answered', 'refused', 'ignored', 'compressed']) {
      for (const upstream of ['a', 'b']) {
        expect(samples.get(`pitot_usage_asks_total{result="${result}",upstream="${upstream}"}`)).toBe(0);
      }
    }
    expect(samples.get('pitot_usage_records_total')).toBe(0);
    expect(samples.get('pitot_usage_records_dropped_total')).toBe(0);
    expect(samples.get('pitot_relay_delay_seconds_count')).toBe(0);
  });
});

describe('live counts', () => {
  it('move while a stream runs, and settle', async () => {
    using pitot = newRecorder();
    const { clock } = pitot;
    const account = decoding(pitot);
    for (let chunk = 0; chunk < 10; chunk += 1) {
      clock.advance(100);
      account.emitted(4, null, clock.nowMs());
    }
    const running = await pitot.exposed();
    expect(running.get(`pitot_output_tokens_total{${W}}`)).toBeGreaterThan(5);
    expect(
      running.get(`pitot_requests_in_flight{model="tiny",phase="decode",upstream="default",workload="default"}`),
    ).toBe(1);
    expect(
      running.get(
        `pitot_request_phase_seconds_total{model="tiny",phase="decode",upstream="default",workload="default"}`,
      ),
    ).toBeCloseTo(1);

    account.settle({
      outputTokens: 4,
      lesson: null,
      wasReported: null,
      fromMs: clock.nowMs() - 1_000,
      toMs: clock.nowMs(),
    });
    account.phase(null, clock.nowMs());
    const ended = await pitot.exposed();
    const counted = ended.get(`pitot_output_tokens_total{${W}}`) ?? 0;
    const withheld = ended.get('pitot_withheld_tokens{model="tiny",upstream="default"}') ?? 0;
    expect(counted - withheld).toBe(4);
    expect(withheld).toBeGreaterThan(0);
    expect(ended.get('pitot_settled_tokens_total{direction="withheld",model="tiny",upstream="default"}')).toBe(
      withheld,
    );
    expect(
      ended.get(`pitot_requests_in_flight{model="tiny",phase="decode",upstream="default",workload="default"}`),
    ).toBe(0);
  });

  it('give the system throughput, and per GPU over all models; active is absent when nothing ran', async () => {
    using pitot = newRecorder();
    const { clock } = pitot;
    const account = decoding(pitot);
    const before = await pitot.exposed();
    for (let tick = 0; tick < 30; tick += 1) {
      clock.advance(100);
      account.emitted(1, (tick + 1) * 10, clock.nowMs());
    }
    const samples = await pitot.exposed();
    const rate = (mode: string) =>
      samples.get(`pitot_throughput_tokens_per_second{mode="${mode}",model="tiny",upstream="default",window="1s"}`);
    expect(rate('effective')).toBeGreaterThan(80);
    expect(rate('active')).toBeGreaterThan(80);
    expect(samples.get('pitot_throughput_tokens_per_second_per_gpu{upstream="default",window="1s"}')).toBeCloseTo(
      (rate('effective') ?? 0) / 2,
    );
    const active = [...before.keys()].filter((name) => name.includes('mode="active"') && name.includes('"unknown"'));
    expect(active).toEqual([]);
  });
});

describe('upstreams', () => {
  it('have no state before the first attempt, then that of the last', async () => {
    using pitot = newRecorder();
    const of = async (name: string) => (await pitot.exposed()).get(`pitot_upstream_${name}{upstream="default"}`);
    expect(await of('up')).toBeUndefined();
    expect(await of('last_success_timestamp_seconds')).toBeUndefined();
    pitot.status.answered();
    expect(await of('up')).toBe(1);
    expect(await of('last_success_timestamp_seconds')).toBe(pitot.clock.epochMs() / 1000);
    pitot.status.failed();
    expect(await of('up')).toBe(0);
    expect(await of('last_failure_timestamp_seconds')).toBe(pitot.clock.epochMs() / 1000);
  });

  it('are busy while a request is in flight, and blocked while its client does not read', async () => {
    using pitot = newRecorder();
    pitot.status.requestStarted();
    pitot.clock.advance(2_500);
    pitot.status.clientBlockedMs += 700;
    const samples = await pitot.exposed();
    expect(samples.get('pitot_upstream_busy_seconds_total{upstream="default"}')).toBe(2.5);
    expect(samples.get('pitot_client_blocked_seconds_total{upstream="default"}')).toBe(0.7);
  });

  it('carry their engine and conditions as labels, and their GPUs, as configured now', async () => {
    const withGpus = 'gpus: 8, engine: vllm, conditions: { gpu: "H100 \\"SXM\\"", tensor_parallel: 8 }';
    using pitot = newRecorder({
      config: configOf(`upstreams: [ { name: u, url: "http://127.0.0.1:1", ${withGpus} } ]`),
    });
    const samples = await pitot.exposed();
    expect(
      samples.get('pitot_upstream_info{engine="vllm",gpu="H100 \\"SXM\\"",tensor_parallel="8",upstream="u"}'),
    ).toBe(1);
    expect(samples.get('pitot_upstream_gpus{upstream="u"}')).toBe(8);

    pitot.recorder.configure(configOf('upstreams: [ { name: u, url: "http://127.0.0.1:1" } ]'));
    const reloaded = await pitot.exposed();
    expect(reloaded.get('pitot_upstream_info{engine="auto",upstream="u"}')).toBe(1);
    expect([...reloaded.keys()].filter((name) => /H100|upstream_gpus|per_gpu/.test(name))).toEqual([]);
  });

  it('count what came of asking them for usage', async () => {
    using pitot = newRecorder();
    pitot.recorder.usageAsk('default', 'refused');
    const samples = await pitot.exposed();
    expect(samples.get('pitot_usage_asks_total{result="refused",upstream="default"}')).toBe(1);
    expect(samples.get('pitot_usage_asks_total{result="answered",upstream="default"}')).toBe(0);
  });
});

describe('the gateway itself', () => {
  it('tells its build, its memory limit, its records and what it could not read', async () => {
    using pitot = newRecorder();
    pitot.usageLog.written = 3;
    pitot.usageLog.dropped = 1;
    pitot.recorder.degraded('bad_usage');
    pitot.recorder.relayDelay(0.03);
    const samples = await pitot.exposed();
    expect(samples.get(`pitot_build_info{commit="abc",node="${process.version}",version="1.2.3"}`)).toBe(1);
    expect(samples.get('pitot_memory_limit_bytes')).toBeGreaterThan(0);
    expect(samples.get('pitot_usage_records_total')).toBe(3);
    expect(samples.get('pitot_usage_records_dropped_total')).toBe(1);
    expect(samples.get('pitot_meter_degraded_total{reason="bad_usage"}')).toBe(1);
    expect(samples.get('pitot_relay_delay_seconds_bucket{le="0.00002"}')).toBe(0);
    expect(samples.get('pitot_relay_delay_seconds_bucket{le="0.00005"}')).toBe(1);
  });

  it('says whether the last reload was good, and when one last was', async () => {
    using pitot = newRecorder();
    const startSeconds = pitot.clock.epochMs() / 1000;
    const state = async () => {
      const samples = await pitot.exposed();
      return [
        samples.get('pitot_config_last_reload_successful'),
        (samples.get('pitot_config_last_reload_success_timestamp_seconds') ?? 0) - startSeconds,
      ];
    };
    expect(await state()).toEqual([1, 0]);
    pitot.clock.advance(10_000);
    pitot.recorder.configReloaded(false);
    expect(await state()).toEqual([0, 0]);
    pitot.recorder.configReloaded(true);
    expect(await state()).toEqual([1, 10]);
  });

  it('counts the overflow of the ledger beside its own', async () => {
    using pitot = newRecorder({ maxModels: 1 });
    for (const model of ['a', 'b', 'c']) {
      const account = pitot.ledger.open('default', 'default', 'openai.chat');
      account.requested(model);
      account.confirmModel(null);
      pitot.recorder.finished(finishedRequest({}, { labels: account.labels }));
    }
    const samples = await pitot.exposed();
    expect(samples.get('pitot_label_overflow_total{label="model"}')).toBe(2);
    expect(samples.get('pitot_metered_requests_total{model="other",source="reported",upstream="default"}')).toBe(2);
  });

  it('exports its own process: CPU, memory, descriptors, collections', async () => {
    using pitot = newRecorder();
    const samples = await pitot.exposed();
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_heap_size_total_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_active_seconds_total',
    ]) {
      expect(samples.get(name), name).toBeGreaterThan(0);
    }
    expect(samples.has('nodejs_gc_duration_seconds_count{kind="minor"}')).toBe(true);
  });
});
