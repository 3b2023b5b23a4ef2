import type { Alert, Recording, RuleFile } from './rule.ts';
import { numberOf } from './text.ts';
import { BURN_WINDOWS, type BurnWindow, burnRateOf, MOST_BAD_ASKED, RECORDED_EVERY, secondsOf } from './windows.ts';

/** Objectives are of a workload, so that is what budgets are of. */
const BY = ['job', 'workload', 'slo'] as const;
const by = BY.join(', ');

const WINDOWS = [...new Set(BURN_WINDOWS.flatMap(({ short, long }) => [short, long]))].sort(
  (a, b) => secondsOf(a) - secondsOf(b),
);
/** From here on a window is so long that it need not be worked out at every turn. */
const LONG_SECONDS = secondsOf('2h');
const isLong = (window: string) => secondsOf(window) >= LONG_SECONDS;

export const SLO_RULES: RuleFile = {
  name: 'slo',
  about: [
    'Error budgets: how fast each workload spends the budget of each of its SLOs. Good and bad were decided in the gateway, request by request, against the configured targets (CONTRACT 6.9); nothing here knows a threshold.',
  ],
  groups: [
    {
      name: 'pitot-slo',
      interval: RECORDED_EVERY,
      rules: [...rates(), ...WINDOWS.filter((window) => !isLong(window)).map(ratio)],
    },
    { name: 'pitot-slo-long', interval: '2m', rules: WINDOWS.filter(isLong).map(ratio) },
    { name: 'pitot-slo-alerts', rules: BURN_WINDOWS.map(burnAlert) },
  ],
};

function rates(): Recording[] {
  return [
    { record: 'slo:pitot_bad:rate5m', expr: `sum by (${by}) (rate(pitot_slo_requests_total{verdict="bad"}[5m]))` },
    { record: 'slo:pitot_judged:rate5m', expr: `sum by (${by}) (rate(pitot_slo_requests_total[5m]))` },
    {
      record: 'slo:pitot_error_budget:ratio',
      about: 'The share of requests that may be bad.',
      expr: `1 - max by (${by}) (pitot_slo_objective_ratio)`,
    },
  ];
}

/** Long windows read the recorded rates: a rate over three days of raw samples of every model would be a thousand times the work. */
function ratio(window: string): Recording {
  const over = (rate: string) => (window === '5m' ? rate : `avg_over_time(${rate}[${window}])`);
  return {
    record: `slo:pitot_bad:ratio_rate${window}`,
    expr: `${over('slo:pitot_bad:rate5m')}\n/ (${over('slo:pitot_judged:rate5m')} > 0)`,
  };
}

function burnAlert(window: BurnWindow): Alert {
  const { name, long, short, leastBad } = window;
  const burnRate = burnRateOf(window);
  const spent = burnRate === 1 ? '' : `${burnRate} * `;
  const allowed = `clamp_max(${spent}slo:pitot_error_budget:ratio, ${MOST_BAD_ASKED})`;
  const expr = [
    `slo:pitot_bad:ratio_rate${long} > on (${by}) ${allowed}`,
    `and on (${by}) slo:pitot_bad:ratio_rate${short} > on (${by}) ${allowed}`,
    `and on (${by}) sum_over_time(slo:pitot_bad:rate5m[${long}]) * ${secondsOf(RECORDED_EVERY)} >= ${leastBad}`,
  ].join('\n');
  const recently = numberOf(`slo:pitot_bad:ratio_rate${short}`, BY, 'humanizePercentage');
  const budget = numberOf('slo:pitot_error_budget:ratio', BY, 'humanizePercentage');
  return {
    alert: `PitotSLOBurn${name}`,
    expr,
    for: window.for,
    severity: window.severity,
    labels: { burn: name.toLowerCase() },
    summary: `Workload {{ $labels.workload }} spends its {{ $labels.slo }} error budget ${timesTooFast(burnRate)}.`,
    description: `{{ $value | humanizePercentage }} of the requests of the last ${long} missed the {{ $labels.slo }} target, and ${recently} of those of the last ${short}; the objective allows ${budget}.`,
    runbook: 'SLO error budget burning',
    dashboard: { uid: 'pitot-slo', variables: ['job', 'workload'] },
  };
}

function timesTooFast(burnRate: number): string {
  return burnRate === 1 ? 'faster than it comes in' : `about ${burnRate} times too fast`;
}
