import type { RequestSnapshot } from '../../live/request-snapshot.ts';
import { NO_FIGURE, rate, whole } from '../text/format.ts';
import { age } from '../text/time.ts';
import type { Column } from './column.ts';

/** Said before a count that is Pitot's own, and not yet the upstream's. */
const ESTIMATED = '≈ ';

export const REQUEST_COLUMNS: readonly Column<RequestSnapshot>[] = [
  {
    key: 'user',
    title: 'User',
    sortBy: ({ user }) => user,
    text: ({ user }) => user ?? 'unknown',
  },
  {
    key: 'model',
    title: 'Model',
    shownFrom: 'medium',
    sortBy: ({ model }) => model,
    text: ({ model }) => model ?? 'unknown',
  },
  {
    key: 'upstream',
    title: 'Upstream',
    shownFrom: 'wide',
    sortBy: ({ upstream }) => upstream,
    text: ({ upstream }) => upstream ?? NO_FIGURE,
  },
  {
    key: 'workload',
    title: 'Workload',
    shownFrom: 'wide',
    sortBy: ({ workload }) => workload,
    text: ({ workload }) => workload,
  },
  {
    key: 'phase',
    title: 'Phase',
    explained: 'prefill: no token yet; decode: streaming; unstreamed: the answer comes in one piece',
    sortBy: ({ phase }) => phase,
    text: ({ phase }) => phase,
    look: ({ phase }) => ({ phase }),
  },
  {
    key: 'tokens',
    title: 'Tokens',
    explained: 'Output tokens so far. ≈ marks a count that is estimated until the upstream tells its own',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ tokens }) => tokens,
    text: ({ tokens, is_estimated: isEstimated }) =>
      `${isEstimated && tokens !== null ? ESTIMATED : ''}${whole(tokens)}`,
  },
  {
    key: 'speed',
    title: 'Tok/s now',
    explained: 'Output tokens per second over the last seconds; 0 stands still',
    isNumber: true,
    sortBy: ({ speed }) => speed,
    text: ({ speed }) => rate(speed),
    look: ({ speed }) => (speed === 0 ? { tone: 'bad' } : {}),
  },
  {
    key: 'age',
    title: 'Age',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ age_ms: ageMs }) => ageMs,
    text: ({ age_ms: ageMs }) => age(ageMs),
  },
];
