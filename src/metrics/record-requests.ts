import { LabelGuard } from '../ledger/label-guard.ts';
import { OUTCOMES, type Outcome, USAGE_SOURCES } from '../meter/record.ts';
import { REQUESTS } from './catalog/requests.ts';
import type { MetricSet } from './metric-set.ts';
import { type Recording, seconds, valuesM, valuesW } from './recording.ts';

/** Under which status the series of an outcome starts at 0 (CONTRACT §7). */
const STATUS_AT_ZERO: Readonly<Record<Outcome, string>> = {
  complete: '200',
  error_in_stream: '200',
  truncated: '200',
  client_aborted: '499',
  upstream_error: '500',
  upstream_reset: '502',
  upstream_unreachable: '502',
  upstream_timeout: '504',
  rejected: '503',
  gateway_shutdown: '503',
};

/** Other status codes that get a label value. Servers use a dozen; one that makes codes up must not mint series. */
const MAX_STATUSES = 50;

/** Requests by outcome, and how long they took. */
export function recordRequests(set: MetricSet, onStatusOverflow: () => void): Recording {
  const requests = set.counter(REQUESTS.requests);
  const metered = set.counter(REQUESTS.meteredRequests);
  const duration = set.histogram(REQUESTS.requestDuration);
  const statuses = new LabelGuard({
    max: MAX_STATUSES,
    always: Object.values(STATUS_AT_ZERO),
    onOverflow: onStatusOverflow,
  });

  return {
    seen({ labels, apis, generates }) {
      for (const api of apis) {
        for (const outcome of OUTCOMES) {
          requests.row([...valuesW(labels), api, STATUS_AT_ZERO[outcome], outcome]);
        }
      }
      duration.row(valuesW(labels));
      if (!generates) return;
      for (const source of USAGE_SOURCES) metered.row([...valuesM(labels), source]);
    },
    finished({ record, labels, generation }) {
      const status = statuses.admit(String(record.status));
      requests.add(requests.row([...valuesW(labels), record.api, status, record.outcome]), 1);
      duration.observe(duration.row(valuesW(labels)), seconds(record.e2e_ms));
      if (generation) metered.add(metered.row([...valuesM(labels), record.usage_source]), 1);
    },
  };
}
