import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS_DOC, metricsDoc } from '../../scripts/gen-metrics-doc.ts';
import { CATALOG } from '../../src/metrics/catalog.ts';
import { configOf, finishedRequest, newRecorder, rendered } from '../helpers/recorder.ts';

const U = ['upstream'];
const M = [...U, 'model'];
const W = [...M, 'workload'];

/** CONTRACT §7. */
const CONTRACT: Readonly<Record<string, readonly [type: string, labels: readonly string[]]>> = {
  pitot_output_tokens_total: ['counter', W],
  pitot_input_tokens_total: ['counter', [...W, 'cache']],
  pitot_reasoning_tokens_total: ['counter', M],
  pitot_wasted_output_tokens_total: ['counter', [...M, 'reason']],
  pitot_requests_total: ['counter', [...W, 'api', 'status', 'outcome']],
  pitot_metered_requests_total: ['counter', [...M, 'source']],
  pitot_requests_in_flight: ['gauge', [...W, 'phase']],
  pitot_request_phase_seconds_total: ['counter', [...W, 'phase']],
  pitot_time_to_first_token_seconds: ['histogram', W],
  pitot_time_per_output_token_seconds: ['histogram', W],
  pitot_user_speed_tokens_per_second: ['histogram', W],
  pitot_request_longest_gap_seconds: ['histogram', W],
  pitot_request_duration_seconds: ['histogram', W],
  pitot_time_to_first_byte_seconds: ['histogram', M],
  pitot_time_to_first_answer_seconds: ['histogram', M],
  pitot_inter_chunk_seconds: ['histogram', M],
  pitot_request_input_tokens: ['histogram', M],
  pitot_request_output_tokens: ['histogram', M],
  pitot_user_end_to_end_speed_tokens_per_second: ['histogram', M],
  pitot_user_speed_characters_per_second: ['histogram', M],
  pitot_prefill_speed_tokens_per_second: ['histogram', M],
  pitot_throughput_tokens_per_second: ['gauge', [...M, 'window', 'mode']],
  pitot_throughput_tokens_per_second_per_gpu: ['gauge', [...U, 'window']],
  pitot_slo_requests_total: ['counter', [...W, 'slo', 'verdict']],
  pitot_slo_undecided_requests_total: ['counter', [...W, 'slo']],
  pitot_good_output_tokens_total: ['counter', W],
  pitot_slo_objective_ratio: ['gauge', ['workload', 'slo']],
  pitot_slo_threshold_seconds: ['gauge', ['workload', 'slo']],
  pitot_slo_min_speed_tokens_per_second: ['gauge', ['workload']],
  pitot_upstream_up: ['gauge', U],
  pitot_upstream_last_success_timestamp_seconds: ['gauge', U],
  pitot_upstream_last_failure_timestamp_seconds: ['gauge', U],
  pitot_upstream_busy_seconds_total: ['counter', U],
  pitot_upstream_info: ['gauge', [...U, 'engine']],
  pitot_upstream_gpus: ['gauge', U],
  pitot_user_requests_total: ['counter', ['user']],
  pitot_user_input_tokens_total: ['counter', ['user']],
  pitot_user_output_tokens_total: ['counter', ['user']],
  pitot_user_decode_seconds_total: ['counter', ['user']],
  pitot_settled_tokens_total: ['counter', [...M, 'direction']],
  pitot_withheld_tokens: ['gauge', M],
  pitot_gpu_price_dollars_per_hour: ['gauge', U],
  pitot_gpu_cost_dollars_total: ['counter', U],
  pitot_reference_cost_dollars_total: ['counter', M],
  pitot_cost_dollars_per_million_output_tokens: ['gauge', [...U, 'window']],
  pitot_reference_price_dollars_per_million_tokens: ['gauge', ['model', 'kind']],
  pitot_throughput_floor_tokens_per_second: ['gauge', U],
  pitot_throughput_floor_min_concurrency: ['gauge', U],
  pitot_throughput_floor_objective_ratio: ['gauge', U],
  pitot_slo_max_throughput_tokens_per_second: ['gauge', [...U, 'workload']],
  pitot_slo_max_concurrency: ['gauge', [...U, 'workload']],
  pitot_usage_asks_total: ['counter', [...U, 'result']],
  pitot_client_blocked_seconds_total: ['counter', U],
  pitot_meter_degraded_total: ['counter', ['reason']],
  pitot_label_overflow_total: ['counter', ['label']],
  pitot_usage_records_total: ['counter', []],
  pitot_usage_records_dropped_total: ['counter', []],
  pitot_relay_delay_seconds: ['histogram', []],
  pitot_event_loop_lag_p99_seconds: ['gauge', []],
  pitot_config_last_reload_successful: ['gauge', []],
  pitot_config_last_reload_success_timestamp_seconds: ['gauge', []],
  pitot_memory_limit_bytes: ['gauge', []],
  pitot_build_info: ['gauge', ['version', 'commit', 'node']],
};

/** The OpenTelemetry GenAI conventions, written for Prometheus. */
const G = ['operation_name', 'provider_name', 'request_model', 'response_model'].map((key) => `gen_ai_${key}`);
const CONVENTIONS: typeof CONTRACT = {
  gen_ai_server_time_to_first_token_seconds: ['histogram', [...G, 'server_address', 'server_port']],
  gen_ai_server_time_per_output_token_seconds: ['histogram', [...G, 'server_address', 'server_port']],
  gen_ai_server_request_duration_seconds: ['histogram', [...G, 'server_address', 'server_port', 'error_type']],
  gen_ai_client_token_usage: ['histogram', [...G, 'server_address', 'server_port', 'gen_ai_token_type']],
};

const FLOOR = 'floor: { output_tokens_per_second: 100, min_concurrency: 1 }';
const UPSTREAMS = `upstreams: [ { name: default, url: "http://127.0.0.1:1", gpus: 1, gpu_price_per_hour: 2, ${FLOOR} } ]`;
const MODELS = 'models: [ { match: "*", reference_price: { input: 1, output: 2 } } ]';
const ALLOWED = [{ upstream: 'default', workload: 'default', tokensPerSecond: 900, concurrency: 24 }];
const WORKLOADS = 'workloads: [ { name: default, slo: { ttft: 2s, speed: 20 } } ]';
const FULL = `{ ${UPSTREAMS}, ${MODELS}, ${WORKLOADS}, metrics: { extra: true, otel_names: true } }`;

/** A recorder through which every kind of thing has gone once. */
async function scrapeAfterTraffic(yaml: string) {
  const pitot = newRecorder({ config: configOf(yaml), allowedBySlo: ALLOWED });
  const { ledger, clock, recorder, status } = pitot;
  const account = ledger.open('default', 'default', 'openai.chat');
  account.requested('tiny');
  account.phase('prefill', clock.nowMs());
  clock.advance(100);
  account.confirmModel(null);
  account.phase('decode', clock.nowMs());
  recorder.firstToken(account.labels, 100);
  for (let tokens = 1; tokens <= 20; tokens += 1) {
    clock.advance(100);
    account.emitted(4, tokens, clock.nowMs());
  }
  status.answered();
  status.failed();
  recorder.relayDelay(0.02);
  recorder.finished(finishedRequest({}, { labels: account.labels }));
  // The event loop is sampled for the first time after ten milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return pitot;
}

describe('the metrics', () => {
  it.each([
    ['pitot_', CONTRACT],
    ['gen_ai_', CONVENTIONS],
  ])('%s… are those that were promised, by name, type and labels, in the catalog', (prefix, promised) => {
    const own = CATALOG.filter(({ name }) => name.startsWith(prefix));
    const found = own.map(({ name, type, labels }) => [name, [type, [...labels]]]);
    expect(Object.fromEntries(found)).toEqual(promised);
    expect(found).toHaveLength(Object.keys(promised).length);
  });

  it('are all exposed with traffic, and nothing else is: by type, help and labels of the catalog', async () => {
    using pitot = await scrapeAfterTraffic(FULL);
    const text = await rendered(pitot.recorder.metrics);
    const heads = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)$/gm)].map(([, name, help, type]) => ({
      name,
      help,
      type,
    }));
    const inCatalog = CATALOG.map(({ name, help, type }) => ({ name, help, type }));
    expect(sortedByName(heads)).toEqual(sortedByName(inCatalog));
    const samples = await pitot.exposed();
    for (const entry of CATALOG) {
      const series = entry.type === 'histogram' ? `${entry.name}_count` : entry.name;
      const keys = [...samples.keys()].filter((key) => key === series || key.startsWith(`${series}{`));
      expect(keys, `${entry.name} has no sample`).not.toEqual([]);
      for (const key of keys) {
        const labels = [...key.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label);
        expect(labels, key).toEqual([...entry.labels].sort());
      }
    }
  });

  it.each([
    ['the extra speeds', '{ metrics: { otel_names: true } }', 'extra'],
    ['process and runtime', '{ metrics: { process: false, extra: true, otel_names: true } }', 'process'],
    ['the OpenTelemetry names', '{ metrics: { extra: true } }', 'otel_names'],
  ])('without %s are all the others', async (_case, switches, only) => {
    const upstreams = `upstreams: [ { name: default, url: "http://127.0.0.1:1" } ], `;
    using pitot = newRecorder({ config: configOf(switches.replace('{ ', `{ ${upstreams}`)) });
    const names = [...(await rendered(pitot.recorder.metrics)).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const expected = CATALOG.filter((entry) => entry.only !== only).map(({ name }) => name);
    expect(names.sort()).toEqual(expected.sort());
  });
});

describe('an entry of the catalog', () => {
  it.each(CATALOG.map((entry) => [entry.name, entry] as const))(
    '%s keeps the rules of names and texts',
    (name, entry) => {
      expect(name).toMatch(/^(pitot|process|nodejs|gen_ai)_[a-z0-9_]*[a-z0-9]$/);
      expect(name.endsWith('_total')).toBe(entry.type === 'counter');
      for (const label of entry.labels) expect(label).toMatch(/^[a-z][a-z_]*$/);
      expect(entry.labels).not.toContain('le');
      // OpenMetrics escapes quotes in help texts, plain text does not: so there are none.
      expect(entry.help).toMatch(/^[^"\\\n|]{15,}\.$/);
      expect(entry.unit).not.toBe('');
    },
  );
});

describe('docs/METRICS.md', () => {
  it('is what the catalog says now; npm run gen writes it', () => {
    expect(readFileSync(METRICS_DOC, 'utf8')).toBe(metricsDoc());
  });
});

function sortedByName<T extends { name?: string | undefined }>(entries: readonly T[]): T[] {
  return [...entries].sort((a, b) => (`${a.name}` < `${b.name}` ? -1 : 1));
}
