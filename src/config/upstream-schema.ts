import { Type } from 'typebox';
import { amount, baseUrl, choice, duration, flag, KIND, label, nullable, ratio, text, whole } from './leaves.ts';

/** Servers Pitot knows by name. `auto` recognises them by their answers. */
const ENGINES = [
  'auto',
  'vllm',
  'sglang',
  'tgi',
  'llama.cpp',
  'ollama',
  'tensorrt-llm',
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'bedrock',
  'cohere',
  'mistral',
  'other',
] as const;

/** `other` is the label value of whatever exceeds a cap, so nothing may be called that. */
export const NAME_TITLE = 'a name of 1 to 128 printable characters, not "other" (that is the rest)';
export const NAME_PATTERN = '^(?!other$)[^\\p{C}\\s]([^\\p{C}]{0,126}[^\\p{C}\\s])?$';

const match = Type.Object(
  {
    path: text('a path that begins with / and has no query', '^/[!->@-~]*$', {
      [KIND]: 'path',
      description: 'Path prefix, by whole segments: /v1 takes /v1 and /v1/models, not /v1beta.',
      default: '/',
    }),
    host: nullable(text('a host such as llm.example or llm.example:8080', '^[^\\s/@]+$', {}), {
      description: 'The Host header, whatever its case; without a port it stands for every port.',
    }),
    model: nullable(text('a model name, * for any characters', '^\\S(.*\\S)?$', {}), {
      description: 'Glob over the model that the request names. A request that names none matches no model.',
    }),
  },
  {
    description: 'Which requests go here. Everything given must hold; the first upstream that matches wins.',
    default: {},
  },
);

const floor = Type.Object({
  output_tokens_per_second: amount({
    description: 'System throughput that must be reached while there is demand.',
    examples: [1500],
    unit: 'tokens per second',
    exclusiveMinimum: 0,
  }),
  min_concurrency: amount({
    description: 'Mean concurrency from which there is demand: a quiet night is no incident.',
    examples: [8],
    unit: 'generations in flight',
    exclusiveMinimum: 0,
  }),
  objective: ratio({ description: 'Share of the time with demand in which the floor must be kept.', default: 0.99 }),
});

const timeouts = Type.Object(
  {
    connect: duration({ description: 'Longest time to connect, TLS included. 0 = none.', default: '10s' }),
    headers: duration({
      description:
        "Longest wait for the answer's head. 0 = none: prefill may take long, the client's leaving is the bound.",
      default: 0,
    }),
    idle: duration({ description: 'Longest pause within an answer. 0 = none.', default: 0 }),
  },
  { description: 'Bounds on the upstream.', default: {} },
);

const tls = Type.Object(
  {
    verify: flag({ description: "Check the upstream's certificate and name.", default: true }),
    ca: nullable(text('the path of a PEM file', '\\S', {}), {
      description: "PEM file of the authority to trust in place of Node's own list.",
    }),
  },
  { description: 'For https:// upstreams.', default: {} },
);

export const upstreamSchema = Type.Object(
  {
    name: text(NAME_TITLE, NAME_PATTERN, {
      description: 'Unique; the `upstream` label of every metric.',
      examples: ['vllm-a'],
    }),
    url: baseUrl({
      description: 'Where requests go. A path prefix is kept and joined textually.',
      examples: ['http://10.0.0.5:8000'],
    }),
    match,
    engine: choice(ENGINES, {
      description: 'The server behind the URL; auto recognises it by its answers.',
      default: 'auto',
    }),
    metering: choice(['full', 'off'], {
      description: 'off relays and counts requests and bytes only: the switch to pull.',
      default: 'full',
    }),
    gpus: nullable(amount({ unit: 'GPUs', exclusiveMinimum: 0 }), {
      description: 'GPUs behind this upstream; a slice counts as a fraction.',
      unit: 'GPUs',
    }),
    gpu_price_per_hour: nullable(amount({ unit: 'dollars', minimum: 0 }), {
      description: 'Price of one GPU for one hour.',
      unit: 'dollars per GPU and hour',
    }),
    conditions: Type.Record(Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' }), label(), {
      description: 'Free labels, shown beside every throughput.',
      keyTitle: 'a label name of letters, digits and _',
      default: {},
    }),
    floor: nullable(floor, { description: 'The throughput this upstream must not fall below.' }),
    timeouts,
    max_connections: whole({ minimum: 0 }, { description: '0 = unlimited.', default: 0, unit: 'connections' }),
    keep_alive: duration({
      description: "Idle time of pooled connections. Keep it below the server's own, or a request meets a closed one.",
      default: '4s',
    }),
    preserve_host: flag({ description: "Send the client's Host header instead of the upstream's.", default: false }),
    tls,
    usage: choice(['auto', 'always', 'never'], {
      description: 'May Pitot ask the upstream for usage. never guarantees an untouched body.',
      default: 'auto',
    }),
  },
  { examples: [{ name: 'vllm-a', url: 'http://10.0.0.5:8000' }] },
);
