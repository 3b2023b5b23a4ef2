import { Type } from 'typebox';
import { amount, choice, flag, label, nullable, ratio, secret, target, text, whole } from './leaves.ts';
import { NAME_PATTERN, NAME_TITLE } from './upstream-schema.ts';

/** RFC 9110 §5.1: a field name is a token. */
const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

const price = (description: string) =>
  nullable(amount({ unit: 'dollars', minimum: 0 }), {
    description,
    unit: 'dollars per million tokens',
  });

export const modelSchema = Type.Object(
  {
    match: text('a model name, * for any characters', '^\\S(.*\\S)?$', {
      description: 'Glob over model names; the first entry that matches wins.',
      examples: ['llama-3.1-8b*'],
    }),
    reference_price: nullable(
      Type.Object({
        input: price('Price of input tokens.'),
        cached_input: price('Price of input tokens read from a cache; null = as input.'),
        output: price('Price of output tokens.'),
      }),
      { description: 'An API to compare with: what the same tokens would cost there.' },
    ),
  },
  { examples: [{ match: 'llama-3.1-8b*' }] },
);

const slo = Type.Object(
  {
    ttft: nullable(target({}), { description: 'Longest time to the first token.' }),
    tpot: nullable(target({}), { description: 'Longest time per output token.' }),
    speed: nullable(amount({ unit: 'tokens per second', exclusiveMinimum: 0 }), {
      description: 'Lowest per-user speed. Says the same thing as tpot: set one.',
      unit: 'tokens per second',
    }),
    gap: nullable(target({}), { description: 'Longest pause between two output chunks.' }),
    e2e: nullable(target({}), { description: 'Longest whole request.' }),
    objective: ratio({ description: 'Share of the requests that must be good.', default: 0.99 }),
  },
  { description: 'Targets; what is null is not judged.', default: {} },
);

export const workloadSchema = Type.Object(
  {
    name: text(NAME_TITLE, NAME_PATTERN, { description: 'Unique; the `workload` label.', examples: ['interactive'] }),
    match: Type.Object(
      {
        header: Type.Record(Type.String({ pattern: HEADER_NAME }), label(), {
          description: 'Header names and the exact values they must have.',
          keyTitle: 'a header name',
          default: {},
        }),
      },
      {
        description: 'Which requests belong here; without it, every one. The first workload that matches wins.',
        default: {},
      },
    ),
    slo,
    slo_override: flag({
      description: 'May x-slo-ttft-ms and x-slo-tpot-ms of a request replace the targets.',
      default: false,
    }),
  },
  { examples: [{ name: 'interactive' }] },
);

const userSource = Type.Union(
  [
    Type.Object({ api_key: choice(['hash'], { description: 'A keyed hash of the API key.', examples: ['hash'] }) }),
    Type.Object({
      header: text('a header name', HEADER_NAME, { description: 'A header, taken as sent.', examples: ['x-user-id'] }),
    }),
    Type.Object({
      body: choice(['user'], { description: 'The `user` of the request body, taken as sent.', examples: ['user'] }),
    }),
  ],
  { examples: [{ api_key: 'hash' }], title: '{ api_key: hash }, { header: NAME } or { body: user }' },
);

export const identitySchema = Type.Object(
  {
    user: Type.Array(userSource, {
      description: 'Where the name of the user comes from; the first that is present.',
      default: [{ api_key: 'hash' }],
    }),
    salt: secret({
      description: 'Keys the hash. Empty = a fixed one, so that names survive a restart.',
      default: `\${PITOT_SALT:-}`,
    }),
    max_users: whole(
      { minimum: 1 },
      { description: 'Label values; the rest is `other`.', default: 200, unit: 'users' },
    ),
  },
  { description: 'Who asked.', default: {} },
);
