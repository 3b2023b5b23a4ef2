import type { Alert, Recording, RuleFile } from './rule.ts';
import { asked, matching } from './text.ts';

const BY = ['job', 'upstream'] as const;
const by = BY.join(', ');
const DASHBOARD = { uid: 'pitot-operator', variables: ['job', 'upstream'] } as const;

/** What failed before an answer began. An HTTP error is an answer: who sends it is there. */
const UNANSWERED = 'outcome=~"upstream_unreachable|upstream_reset|upstream_timeout"';
/** 4xx other than 429: what the client sent, or nobody's fault. The SLOs leave them out, too (CONTRACT 6.9). */
const STATUS_OF_CLIENT = 'status!~"4[013-9].|42[0-8]"';
const FAILED = `pitot_requests_total{outcome=~"upstream_.*|error_in_stream|truncated",${STATUS_OF_CLIENT}}`;
const REACHED = `pitot_requests_total{outcome!~"client_aborted|rejected|gateway_shutdown",${STATUS_OF_CLIENT}}`;

/** Failures must go on for so long after the last answer. */
const DOWN_SECONDS = 60;
/** Who was not asked for so long may be up again, and nobody knows, since no probe is sent. */
const LATELY_MINUTES = 15;

export const UPSTREAM_RULES: RuleFile = {
  name: 'upstreams',
  about: ['Whether upstreams answer, as the traffic shows it: gateways send no probes (CONTRACT 9).'],
  groups: [
    { name: 'pitot-upstreams', rules: recordings() },
    { name: 'pitot-upstreams-alerts', rules: [down(), downHitsWorkload(), errors()] },
  ],
};

function recordings(): Recording[] {
  return [
    {
      record: 'upstream:pitot_last_failure:timestamp_seconds',
      expr: `max by (${by}) (pitot_upstream_last_failure_timestamp_seconds)`,
    },
    {
      record: 'upstream:pitot_last_success:timestamp_seconds',
      about: '0 where attempts failed and none ever succeeded.',
      expr: `max by (${by}) (pitot_upstream_last_success_timestamp_seconds)\nor upstream:pitot_last_failure:timestamp_seconds * 0`,
    },
    {
      record: 'upstream:pitot_down:bool',
      about: `1 where attempts have failed for more than ${DOWN_SECONDS} seconds, more than once in the last ${LATELY_MINUTES} minutes, and no gateway got an answer since. Not pitot_upstream_up: a gateway without traffic would go on saying 1.`,
      expr: [
        `(upstream:pitot_last_failure:timestamp_seconds > bool upstream:pitot_last_success:timestamp_seconds + ${DOWN_SECONDS})`,
        `* on (${by}) (sum by (${by}) (increase(pitot_requests_total{${UNANSWERED}}[${LATELY_MINUTES}m])) > bool 1)`,
      ].join('\n'),
    },
  ];
}

function down(): Alert {
  const own = matching(BY);
  const lastAnswer = asked({
    query: `time() - max(pitot_upstream_last_success_timestamp_seconds{${own}})`,
    labels: BY,
    format: 'humanizeDuration',
    otherwise: 'none since the gateways started',
  });
  const failures = asked({
    query: `sum(increase(pitot_requests_total{${own},${UNANSWERED}}[${LATELY_MINUTES}m]))`,
    labels: BY,
    format: 'printf "%.0f"',
  });
  return {
    alert: 'PitotUpstreamDown',
    expr: 'upstream:pitot_down:bool == 1',
    for: '1m',
    severity: 'critical',
    summary: 'Upstream {{ $labels.upstream }} does not answer.',
    description: `${failures} requests of the last ${LATELY_MINUTES} minutes found nobody to answer. Time since the last answer to any gateway: ${lastAnswer}.`,
    runbook: 'PitotUpstreamDown',
    dashboard: DASHBOARD,
  };
}

/** Says which workloads a dead upstream hits; in Alertmanager it keeps the burn rates of these quiet, which know no upstream. */
function downHitsWorkload(): Alert {
  const bad = 'rate(pitot_slo_requests_total{slo="all",verdict="bad"}[5m])';
  return {
    alert: 'PitotUpstreamDownHitsWorkload',
    about:
      'Nine tenths of what is bad in a workload comes from an upstream that is down. Keeps PitotSLOBurn* of that workload quiet.',
    expr: [
      `sum by (job, upstream, workload) (${bad})`,
      `/ on (job, workload) group_left () (sum by (job, workload) (${bad}) > 0) > 0.9`,
      `and on (${by}) upstream:pitot_down:bool == 1`,
    ].join('\n'),
    for: '1m',
    severity: 'info',
    summary: 'Workload {{ $labels.workload }} misses its SLOs because upstream {{ $labels.upstream }} is down.',
    description:
      '{{ $value | humanizePercentage }} of the bad requests of the workload in the last 5 minutes went to this upstream.',
    runbook: 'PitotUpstreamDownHitsWorkload',
    dashboard: { uid: 'pitot-slo', variables: ['job', 'workload'] },
  };
}

function errors(): Alert {
  const labels = ['job', 'upstream', 'model'];
  const model = labels.join(', ');
  const counted = (series: string) =>
    asked({
      query: `sum(increase(${series.replace('{', `{${matching(labels)},`)}[5m]))`,
      labels,
      format: 'printf "%.0f"',
    });
  return {
    alert: 'PitotUpstreamErrors',
    expr: [
      `sum by (${model}) (rate(${FAILED}[5m]))`,
      `/ (sum by (${model}) (rate(${REACHED}[5m])) > 0) > 0.05`,
      `and on (${model}) sum by (${model}) (increase(${FAILED}[5m])) >= 5`,
    ].join('\n'),
    for: '5m',
    severity: 'critical',
    summary: `Upstream {{ $labels.upstream }} fails {{ $value | humanizePercentage }} of the requests for {{ $labels.model }}.`,
    description: `${counted(FAILED)} of ${counted(REACHED)} requests of the last 5 minutes ended in an HTTP error, a reset, a timeout or a broken answer. Refusals of what a client sent (4xx other than 429) and clients that left are not among them.`,
    runbook: 'PitotUpstreamErrors',
    dashboard: { uid: 'pitot-operator', variables: ['job', 'upstream', 'model'] },
  };
}
