import type { MetricEntry } from './entry.ts';

const USER = ['user'] as const;

/** Users: four counters and no histogram, capped at identity.max_users; the rest is other, without identity unknown. */
export const USERS = {
  userRequests: {
    name: 'pitot_user_requests_total',
    type: 'counter',
    labels: USER,
    addsUp: 'sum',
    unit: 'requests',
    help: 'Finished requests by user.',
  },
  userInputTokens: {
    name: 'pitot_user_input_tokens_total',
    type: 'counter',
    labels: USER,
    addsUp: 'sum',
    unit: 'tokens',
    help: 'Input tokens of finished requests by user, where known (CONTRACT 6.3).',
  },
  userOutputTokens: {
    name: 'pitot_user_output_tokens_total',
    type: 'counter',
    labels: USER,
    addsUp: 'sum',
    unit: 'tokens',
    help: 'Output tokens of finished requests by user, streamed or not; counted when a request ends, as all of a user is.',
  },
  userDecodeSeconds: {
    name: 'pitot_user_decode_seconds_total',
    type: 'counter',
    labels: USER,
    addsUp: 'sum',
    unit: 'seconds',
    help: 'Time between first and last token, summed over the finished streamed requests of a user (CONTRACT 1). Tokens over it are a mean speed where all answers are streamed.',
  },
} as const satisfies Record<string, MetricEntry>;
