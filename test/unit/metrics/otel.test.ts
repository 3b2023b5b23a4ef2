import { describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { errorTypeOf, operationOf } from '../../../src/metrics/otel-attributes.ts';
import { APIS } from '../../../src/wire/facts.ts';
import { configOf, finishedRequest, LABELS, newRecorder } from '../../helpers/recorder.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

const pitotWith = (upstream = 'url: "http://10.0.0.5:8000"', limits = '{}') =>
  newRecorder({
    config: configOf(
      `{ upstreams: [ { name: default, ${upstream} } ], limits: ${limits}, metrics: { otel_names: true } }`,
    ),
  });

type Pitot = ReturnType<typeof pitotWith>;

/** The samples of the conventions' metrics but for buckets. */
async function samplesOf(pitot: Pitot): Promise<Record<string, number>> {
  const all = [...(await pitot.exposed())].filter(([key]) => key.startsWith('gen_ai_') && !key.includes('_bucket'));
  return Object.fromEntries(all);
}

const labelsOf = (samples: Record<string, number>, label: string) =>
  new Set(Object.keys(samples).map((key) => new RegExp(`[{,]${label}="([^"]*)"`).exec(key)?.[1]));

const G =
  'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="tiny",gen_ai_response_model="tiny"';
const AT = 'server_address="10.0.0.5",server_port="8000"';

describe('under the OpenTelemetry names', () => {
  it('a generation that ended well is in all four, in seconds and tokens', async () => {
    using pitot = pitotWith();
    pitot.recorder.finished(finishedRequest());
    const of = (type: string) => `${G},gen_ai_token_type="${type}",${AT}`;
    expect(await samplesOf(pitot)).toEqual({
      [`gen_ai_server_time_to_first_token_seconds_sum{${G},${AT}}`]: 0.1,
      [`gen_ai_server_time_to_first_token_seconds_count{${G},${AT}}`]: 1,
      [`gen_ai_server_time_per_output_token_seconds_sum{${G},${AT}}`]: 0.02,
      [`gen_ai_server_time_per_output_token_seconds_count{${G},${AT}}`]: 1,
      [`gen_ai_server_request_duration_seconds_sum{error_type="",${G},${AT}}`]: 1.3,
      [`gen_ai_server_request_duration_seconds_count{error_type="",${G},${AT}}`]: 1,
      [`gen_ai_client_token_usage_sum{${of('input')}}`]: 12,
      [`gen_ai_client_token_usage_count{${of('input')}}`]: 1,
      [`gen_ai_client_token_usage_sum{${of('output')}}`]: 34,
      [`gen_ai_client_token_usage_count{${of('output')}}`]: 1,
    });
  });

  it.each([
    ['the status of an error answer', { status: 429, outcome: 'upstream_error' }, '429'],
    ['the outcome of a stream that broke', { outcome: 'upstream_reset' }, 'upstream_reset'],
    ['the outcome of a client that left', { outcome: 'client_aborted' }, 'client_aborted'],
  ] as const)('a failure has only a duration, by %s', async (_case, record, errorType) => {
    using pitot = pitotWith();
    pitot.recorder.finished(finishedRequest({ ...record, usage_source: 'none' }));
    const samples = await samplesOf(pitot);
    expect(Object.keys(samples).every((key) => key.startsWith('gen_ai_server_request_duration_seconds'))).toBe(true);
    expect(labelsOf(samples, 'error_type')).toEqual(new Set([errorType]));
  });

  it('tokens that the upstream did not count are no usage', async () => {
    using pitot = pitotWith();
    for (const usage_source of ['estimated', 'none'] as const)
      pitot.recorder.finished(finishedRequest({ usage_source }));
    expect(Object.keys(await samplesOf(pitot)).filter((key) => key.includes('token_usage'))).toEqual([]);
    pitot.recorder.finished(finishedRequest({ usage_source: 'partial', input_tokens: null, outcome: 'truncated' }));
    expect(labelsOf(await samplesOf(pitot), 'gen_ai_token_type')).toEqual(new Set([undefined, 'output']));
  });

  it('a client that reads slowly does not make the server slow', async () => {
    using pitot = pitotWith();
    pitot.recorder.finished(finishedRequest({}, { slowClient: true }));
    expect(Object.keys(await samplesOf(pitot)).filter((key) => key.includes('per_output_token'))).toEqual([]);
  });

  it('what asks no model is not there, and embeddings are', async () => {
    using pitot = pitotWith();
    pitot.recorder.finished(finishedRequest({ api: 'other' }, { generation: false }));
    expect(await samplesOf(pitot)).toEqual({});
    const embedding: Partial<UsageRecord> = {
      api: 'openai.embeddings',
      output_tokens: null,
      ttft_ms: null,
      tpot_ms: null,
    };
    pitot.recorder.finished(finishedRequest(embedding, { generation: false }));
    const samples = await samplesOf(pitot);
    expect(labelsOf(samples, 'gen_ai_operation_name')).toEqual(new Set(['embeddings']));
    expect(labelsOf(samples, 'gen_ai_token_type')).toEqual(new Set([undefined, 'input']));
  });

  it.each([
    ['url: "https://api.example/v1"', 'api.example', '443'],
    ['url: "http://[::1]:9"', '::1', '9'],
    ['url: "http://engine"', 'engine', '80'],
  ])('the server is that of the upstream: %s', async (upstream, address, port) => {
    using pitot = pitotWith(upstream);
    pitot.recorder.finished(finishedRequest());
    const samples = await samplesOf(pitot);
    expect(labelsOf(samples, 'server_address')).toEqual(new Set([address]));
    expect(labelsOf(samples, 'server_port')).toEqual(new Set([port]));
  });

  it('the provider is the engine, configured or recognised, else that of the API', async () => {
    using configured = pitotWith('url: "http://a", engine: mistral');
    configured.recorder.finished(finishedRequest());
    expect(labelsOf(await samplesOf(configured), 'gen_ai_provider_name')).toEqual(new Set(['mistral_ai']));
    using recognised = pitotWith();
    recognised.recorder.finished(finishedRequest());
    recognised.status.engine = 'vllm';
    recognised.recorder.finished(finishedRequest());
    expect(labelsOf(await samplesOf(recognised), 'gen_ai_provider_name')).toEqual(new Set(['openai', 'vllm']));
  });

  it('a request that no upstream took has an operation and no server', async () => {
    using pitot = pitotWith();
    const labels = { ...LABELS, upstream: 'none', model: 'unknown' };
    pitot.recorder.finished(
      finishedRequest({ upstream: null, outcome: 'rejected', status: 502, usage_source: 'none' }, { labels }),
    );
    const samples = await samplesOf(pitot);
    expect(labelsOf(samples, 'server_address')).toEqual(new Set(['']));
    expect(labelsOf(samples, 'error_type')).toEqual(new Set(['rejected']));
  });
});

describe('a client cannot mint series under the OpenTelemetry names', () => {
  it('by names that no answer confirmed', async () => {
    using pitot = pitotWith();
    const labels = { ...LABELS, model: 'unknown' };
    for (let name = 0; name < 50; name += 1) {
      const record = { requested_model: `made-up-${name}`, status: 404, outcome: 'upstream_error' as const };
      pitot.recorder.finished(finishedRequest(record, { labels }));
    }
    const samples = await samplesOf(pitot);
    expect(labelsOf(samples, 'gen_ai_request_model')).toEqual(new Set(['unknown']));
    expect(labelsOf(samples, 'gen_ai_response_model')).toEqual(new Set(['']));
  });

  it('by names that a server takes for its one model', async () => {
    using pitot = pitotWith(undefined, '{ max_models: 5 }');
    for (let name = 0; name < 50; name += 1) {
      pitot.recorder.finished(finishedRequest({ requested_model: `alias-${name}` }));
    }
    expect(labelsOf(await samplesOf(pitot), 'gen_ai_request_model')).toEqual(
      new Set(['alias-0', 'alias-1', 'alias-2', 'alias-3', 'alias-4', 'other']),
    );
    expect((await pitot.exposed()).get('pitot_label_overflow_total{label="gen_ai_request_model"}')).toBe(45);
  });

  it('by sets of names, APIs and answers beyond the cap, which a reload moves', async () => {
    using pitot = pitotWith(undefined, '{ max_label_sets: 3 }');
    const finishAll = () => {
      for (const model of ['a', 'b', 'c', 'd', 'e']) {
        pitot.recorder.finished(finishedRequest({ requested_model: model }, { labels: { ...LABELS, model } }));
      }
    };
    finishAll();
    expect(labelsOf(await samplesOf(pitot), 'gen_ai_response_model')).toEqual(new Set(['a', 'b', 'c', 'other']));
    expect((await pitot.exposed()).get('pitot_label_overflow_total{label="gen_ai_label_set"}')).toBe(2);
    pitot.recorder.configure(
      configOf('{ upstreams: [ { name: default, url: "http://10.0.0.5:8000" } ], limits: { max_label_sets: 4 } }'),
    );
    finishAll();
    expect(labelsOf(await samplesOf(pitot), 'gen_ai_response_model')).toEqual(new Set(['a', 'b', 'c', 'd', 'other']));
  });

  it('nor a server by status codes of its own', async () => {
    using pitot = pitotWith();
    for (let status = 400; status < 500; status += 1) {
      pitot.recorder.finished(finishedRequest({ status, outcome: 'upstream_error', usage_source: 'none' }));
    }
    const types = labelsOf(await samplesOf(pitot), 'error_type');
    expect(types.size).toBe(51);
    expect(types).toContain('_OTHER');
  });
});

describe('the table of operations', () => {
  const WELL_KNOWN = ['chat', 'text_completion', 'generate_content', 'embeddings', 'invoke_agent'];

  it.each(APIS.filter((api) => api !== 'other' && api !== 'websocket'))('names %s by a well-known value', (api) => {
    expect(WELL_KNOWN).toContain(operationOf(api, null)?.operation);
  });

  it('has none for what asks no model', () => {
    expect([operationOf('other', 'vllm'), operationOf('websocket', null)]).toEqual([null, null]);
  });

  it.each([
    ['auto', 'openai'],
    ['other', 'openai'],
    ['azure', 'azure.ai.openai'],
    ['openai', 'openai'],
    ['vllm', 'vllm'],
    ['llama.cpp', 'llama.cpp'],
  ])('an OpenAI chat with engine %s is of %s', (engine, provider) => {
    expect(operationOf('openai.chat', engine)).toEqual({ operation: 'chat', provider });
  });

  it('calls success no error, also where its status is odd', () => {
    expect(errorTypeOf(usageRecord({ status: 201 }))).toBe('');
  });
});
