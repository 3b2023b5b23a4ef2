import type { FailureSnapshot } from '../../live/request-snapshot.ts';
import { OUTCOME_WORDS } from '../text/failures.ts';
import { NO_FIGURE, whole } from '../text/format.ts';
import { moment } from '../text/time.ts';
import type { Column } from './column.ts';

export const FAILURE_COLUMNS: readonly Column<FailureSnapshot>[] = [
  {
    key: 'time',
    title: 'Time',
    firstDescending: true,
    sortBy: ({ time }) => time,
    text: ({ time }) => moment(time, Date.now()),
  },
  {
    key: 'outcome',
    title: 'Outcome',
    sortBy: ({ outcome }) => OUTCOME_WORDS[outcome],
    text: ({ outcome }) => OUTCOME_WORDS[outcome],
  },
  {
    key: 'status',
    title: 'Status',
    explained: 'HTTP status sent to the client; 499 where it left before any',
    isNumber: true,
    sortBy: ({ status }) => status,
    text: ({ status }) => String(status),
  },
  {
    key: 'error',
    title: 'Code',
    explained: "The gateway's own error code, where it answered itself",
    shownFrom: 'wide',
    sortBy: ({ error }) => error,
    text: ({ error }) => error ?? NO_FIGURE,
  },
  {
    key: 'upstream',
    title: 'Upstream',
    sortBy: ({ upstream }) => upstream,
    text: ({ upstream }) => upstream ?? NO_FIGURE,
  },
  { key: 'model', title: 'Model', sortBy: ({ model }) => model, text: ({ model }) => model ?? NO_FIGURE },
  { key: 'user', title: 'User', shownFrom: 'wide', sortBy: ({ user }) => user, text: ({ user }) => user ?? 'unknown' },
  {
    key: 'tokens',
    title: 'Tokens',
    explained: 'Output tokens that came before it failed',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ output_tokens: tokens }) => tokens,
    text: ({ output_tokens: tokens }) => whole(tokens),
  },
];
