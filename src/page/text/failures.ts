import type { FailureOutcome } from '../../live/request-snapshot.ts';

/** What an outcome means to somebody who has not read the documentation. */
export const OUTCOME_WORDS: Readonly<Record<FailureOutcome, string>> = {
  client_aborted: 'client left',
  error_in_stream: 'error in the stream',
  gateway_shutdown: 'gateway shut down',
  rejected: 'rejected by Pitot',
  truncated: 'cut short',
  upstream_error: 'upstream error',
  upstream_reset: 'upstream reset',
  upstream_timeout: 'upstream timeout',
  upstream_unreachable: 'upstream unreachable',
};
