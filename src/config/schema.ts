import { type StaticDecode, Type } from 'typebox';
import { address, amount, choice, duration, flag, nullable, secret, size, text, whole } from './leaves.ts';
import { upstreamSchema } from './upstream-schema.ts';
import { identitySchema, modelSchema, workloadSchema } from './workload-schema.ts';

/**
 * The configuration file (CONTRACT §3), said once: from this schema come the check, the defaults, the loaded type,
 * config/gateway.schema.json, docs/CONFIG.md and print-config. Durations and sizes are codecs: text in the file, milliseconds and bytes once loaded.
 */

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const admin = Type.Object(
  {
    listen: address({ description: 'Where metrics, health and the live page are served.', default: '127.0.0.1:9464' }),
    token: secret({
      description: 'Bearer token of the admin port. Needed when it is not on loopback, unless public.',
      default: `\${PITOT_ADMIN_TOKEN:-}`,
    }),
    public: flag({ description: 'Serve the admin port beyond loopback without a token.', default: false }),
  },
  { description: 'The port of the operator.', default: {} },
);

const limits = Type.Object(
  {
    max_label_sets: whole(
      { minimum: 1 },
      { description: 'Sets of upstream, model and workload; the rest is `other`.', default: 200, unit: 'label sets' },
    ),
    max_models: whole(
      { minimum: 1 },
      { description: 'Model names; the rest is `other`.', default: 100, unit: 'models' },
    ),
    body_prefix: size(2 ** 28, { description: 'Start of a request body that is copied to be read.', default: '1MiB' }),
    body_buffer: size(2 ** 30, {
      description: 'Longest body held where it must be spliced or routed by model; longer ones pass untouched.',
      default: '8MiB',
    }),
    body_buffer_total: size(2 ** 40, { description: 'The same over all requests.', default: '512MiB' }),
    event_bytes: size(2 ** 28, {
      description: 'Longest event that is read; longer ones are relayed unread.',
      default: '4MiB',
    }),
  },
  { description: 'Bounds on memory and on series.', default: {} },
);

const estimate = Type.Object(
  {
    enabled: flag({
      description:
        'Count with a local tokenizer when the upstream reports nothing. What may have to be counted is kept in memory until its request ends: at most 64 MiB of prompts and 32 MiB of answers, over all requests.',
      default: true,
    }),
    budget_ms: amount({
      description:
        'CPU time of the counting thread for one request, its encoding loaded; beyond it the rest is extrapolated. No record waits longer than 0.6 s for its count, whatever the budget.',
      default: 50,
      unit: 'milliseconds',
      minimum: 0,
    }),
  },
  { description: 'Token counts of our own.', default: {} },
);

const usageLog = Type.Object(
  {
    path: nullable(text('a file path, or "-" for stdout', '\\S', {}), {
      description: 'One JSON line per finished request; "-" = stdout, null = none.',
    }),
    rotate_bytes: size(2 ** 40, { description: 'Size at which a new file is begun.', default: '100MiB' }),
    keep: whole({ minimum: 0 }, { description: 'Old files kept.', default: 10, unit: 'files' }),
    fsync: choice(['interval', 'always', 'never'], {
      description: 'When the file is forced to disk: at most a second late, after every write, or as the system likes.',
      default: 'interval',
    }),
  },
  { description: 'Durable usage records.', default: {} },
);

const state = Type.Object(
  {
    path: nullable(text('a file path', '\\S', {}), {
      description: 'Where operating curves survive a restart; null = nowhere.',
    }),
  },
  { description: 'What is remembered over restarts.', default: {} },
);

const metrics = Type.Object(
  {
    otel_names: flag({
      description: 'Export the metrics of the OpenTelemetry GenAI conventions as well.',
      default: false,
    }),
    process: flag({ description: 'Export process_ and nodejs_ metrics.', default: true }),
    extra: flag({ description: 'Export the end-to-end, per-character and prefill speed histograms.', default: false }),
  },
  { description: 'What /metrics holds.', default: {} },
);

const log = Type.Object(
  { level: choice(LOG_LEVELS, { description: 'Lowest level that is written.', default: 'info' }) },
  { description: 'JSON lines on stdout.', default: {} },
);

export const configSchema = Type.Object(
  {
    listen: address({ description: 'Where clients connect.', default: '127.0.0.1:8080' }),
    admin,
    workers: whole({ minimum: 1 }, { description: 'Relaying processes.', default: 1, unit: 'processes' }),
    upstreams: Type.Array(upstreamSchema, {
      description: 'Inference servers, the first match wins; at least one.',
      default: [],
    }),
    models: Type.Array(modelSchema, { description: 'Reference prices by model.', default: [] }),
    workloads: Type.Array(workloadSchema, {
      description: 'Kinds of traffic, the first match wins; what none takes is `default`.',
      default: [],
    }),
    identity: identitySchema,
    limits,
    estimate,
    usage_log: usageLog,
    state,
    metrics,
    shutdown_delay: duration({
      description: 'How long new connections are still served after SIGTERM.',
      default: '0s',
    }),
    shutdown_grace: duration({ description: 'How long streams in flight may then take to finish.', default: '10m' }),
    log,
  },
  { description: 'Configuration of Pitot, the flow meter for LLM inference.' },
);

/** A loaded configuration: every key is there, durations in milliseconds, sizes in bytes, empty secrets null. */
export type Config = StaticDecode<typeof configSchema>;
export type UpstreamConfig = Config['upstreams'][number];
export type WorkloadConfig = Config['workloads'][number];
export type LimitsConfig = Config['limits'];
