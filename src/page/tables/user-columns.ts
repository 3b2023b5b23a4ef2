import type { UserSnapshot } from '../../live/snapshot-type.ts';
import { rate, short, whole } from '../text/format.ts';
import { duration, timeOfDay } from '../text/time.ts';
import type { Column } from './column.ts';

export const USER_COLUMNS: readonly Column<UserSnapshot>[] = [
  { key: 'user', title: 'User', sortBy: ({ user }) => user, text: ({ user }) => user },
  {
    key: 'requests',
    title: 'Requests',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ requests }) => requests,
    text: ({ requests }) => whole(requests),
  },
  {
    key: 'input',
    title: 'Tokens in',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ input_tokens: input }) => input,
    text: ({ input_tokens: input }) => short(input),
  },
  {
    key: 'output',
    title: 'Tokens out',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ output_tokens: output }) => output,
    text: ({ output_tokens: output }) => short(output),
  },
  {
    key: 'p50',
    title: 'Tok/s p50',
    explained: 'Median per-user speed of the last half hour to hour',
    isNumber: true,
    sortBy: ({ speed }) => speed?.p50 ?? null,
    text: ({ speed }) => rate(speed?.p50 ?? null),
  },
  {
    key: 'p10',
    title: 'Tok/s p10',
    explained: 'One request in ten is slower',
    isNumber: true,
    sortBy: ({ speed }) => speed?.p10 ?? null,
    text: ({ speed }) => rate(speed?.p10 ?? null),
  },
  {
    key: 'ttft',
    title: 'TTFT p95',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ ttft_p95_ms: ttft }) => ttft,
    text: ({ ttft_p95_ms: ttft }) => duration(ttft),
  },
  {
    key: 'seen',
    title: 'Last seen',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ last_seen: seen }) => seen,
    text: ({ last_seen: seen }) => timeOfDay(seen),
  },
];
