import type { Alert, RuleFile } from './rule.ts';
import { asked, matching } from './text.ts';

const MODEL = ['job', 'upstream', 'model'];
const model = MODEL.join(', ');
const DASHBOARD = { uid: 'pitot-operator', variables: MODEL } as const;

const increase = (series: string) => `sum by (${model}) (increase(${series}[1h]))`;
/** Who fails or leaves takes the count along, and that is no gap of metering: so all of these are taken off. */
const NOT_COMPLETE = increase('pitot_requests_total{outcome!="complete"}');
const FINISHED = increase('pitot_metered_requests_total');

/** A twentieth of all answers, and not by chance. */
const LEAST_SHARE = 0.05;
const LEAST_REQUESTS = 10;
/** Of one reason in an hour. A single odd event is no news. */
const LEAST_DEGRADED = 10;

const finishedLastHour = asked({
  query: `sum(increase(pitot_metered_requests_total{${matching(MODEL)}}[1h]))`,
  labels: MODEL,
  format: 'printf "%.0f"',
});

export const METERING_RULES: RuleFile = {
  name: 'metering',
  about: ['Whether what the gateways say is complete: counts, records, labels.'],
  groups: [{ name: 'pitot-metering-alerts', rules: [gap(), estimated(), degraded(), dropped(), overflow()] }],
};

/** Complete answers, at least so many, whose count came from `source`. */
function completeFrom(source: 'none' | 'estimated'): string {
  const counted = increase(`pitot_metered_requests_total{source="${source}"}`);
  const complete = `(\n  ${counted}\n  - ${NOT_COMPLETE}\n)`;
  return `${complete}\n/ (${FINISHED} > 0) > ${LEAST_SHARE}\nand on (${model}) ${complete} >= ${LEAST_REQUESTS}`;
}

function gap(): Alert {
  return {
    alert: 'PitotMeteringGap',
    about: 'Answers that came to their end and have no count at all: throughput and cost are too low by as much.',
    expr: completeFrom('none'),
    for: '15m',
    severity: 'warning',
    summary: 'Tokens of {{ $labels.model }} on {{ $labels.upstream }} are not counted.',
    description: `At least {{ $value | humanizePercentage }} of the ${finishedLastHour} generations of the last hour were answered in full and have no token count. Throughput and cost leave them out.`,
    runbook: 'PitotMeteringGap',
    dashboard: DASHBOARD,
  };
}

function estimated(): Alert {
  return {
    alert: 'PitotTokensEstimated',
    about: 'Answers that came to their end without a report of their usage.',
    expr: completeFrom('estimated'),
    for: '15m',
    severity: 'info',
    summary: 'Token counts of {{ $labels.model }} on {{ $labels.upstream }} are estimates.',
    description: `At least {{ $value | humanizePercentage }} of the ${finishedLastHour} generations of the last hour were answered in full without a report of usage by the upstream, and counted here.`,
    runbook: 'PitotTokensEstimated',
    dashboard: DASHBOARD,
  };
}

function degraded(): Alert {
  const by = 'job, instance, reason';
  return {
    alert: 'PitotMeterDegraded',
    expr: [
      `sum by (${by}) (increase(pitot_meter_degraded_total[1h])) >= ${LEAST_DEGRADED}`,
      `or sum by (${by}) (increase(pitot_meter_degraded_total{reason="meter_error"}[1h])) > 0`,
    ].join('\n'),
    severity: 'warning',
    summary: 'Gateway {{ $labels.instance }} relays what it cannot read: {{ $labels.reason }}.',
    description:
      'Metering gave up on about {{ $value | printf "%.0f" }} events or bodies in the last hour ({{ $labels.reason }}). They were relayed untouched; their tokens may be missing.',
    runbook: 'PitotMeterDegraded',
    dashboard: { uid: 'pitot-operator', variables: ['job'] },
  };
}

function dropped(): Alert {
  return {
    alert: 'PitotUsageRecordsDropped',
    expr: 'sum by (job, instance) (increase(pitot_usage_records_dropped_total[15m])) > 0',
    severity: 'critical',
    summary: 'Gateway {{ $labels.instance }} loses usage records.',
    description:
      'About {{ $value | printf "%.0f" }} usage records of the last 15 minutes did not reach the usage log. What is billed by it is incomplete; the counters are not affected.',
    runbook: 'PitotUsageRecordsDropped',
    dashboard: { uid: 'pitot-operator', variables: ['job'] },
  };
}

function overflow(): Alert {
  return {
    alert: 'PitotLabelsOverflow',
    expr: 'sum by (job, instance, label) (increase(pitot_label_overflow_total[1h])) > 0',
    severity: 'info',
    summary: 'Gateway {{ $labels.instance }} counts further values of {{ $labels.label }} as other.',
    description:
      'The cap of {{ $labels.label }} was reached: about {{ $value | printf "%.0f" }} times in the last hour something was counted as other. Sums stay right, the parts are not told apart.',
    runbook: 'PitotLabelsOverflow',
    dashboard: { uid: 'pitot-users', variables: ['job'] },
  };
}
