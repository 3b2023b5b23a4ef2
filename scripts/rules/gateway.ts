import type { Alert, RuleFile } from './rule.ts';
import { asked, matching } from './text.ts';

const BY = ['job', 'instance'] as const;
const by = BY.join(', ');
const DASHBOARD = { uid: 'pitot-operator', variables: ['job'] } as const;
/** Processes of other programs have metrics of the same names. */
const IS_PITOT = `and on (${by}) pitot_build_info`;
const PART_OF_MEASUREMENT =
  'The gateway itself has become part of the measurement: tokens are late, and latencies hold its own delay.';
/** With one worker the series have no such label. */
const WORKER = '{{ with $labels.worker }} (process {{ . }}){{ end }}';

export const GATEWAY_RULES: RuleFile = {
  name: 'gateway',
  about: ['The gateways themselves: whether they are there, and whether they have become part of what they measure.'],
  groups: [
    { name: 'pitot-gateway-presence', rules: [targetMissing(), targetDown(), restarting(), reloadFailed()] },
    {
      name: 'pitot-gateway-saturation',
      rules: [relayDelay(), eventLoopLag(), eventLoopBusy(), memoryHigh(), fileDescriptorsHigh()],
    },
  ],
};

function targetMissing(): Alert {
  const targets = (all: 'count' | 'sum') => asked({ query: `${all}(up)`, labels: [], otherwise: '0' });
  return {
    alert: 'PitotTargetMissing',
    expr: 'absent(pitot_build_info)',
    for: '2m',
    severity: 'critical',
    summary: 'No gateway is being scraped.',
    description: `Of ${targets('count')} targets that Prometheus scrapes, ${targets('sum')} are up, and none of them is a gateway. Every other alert on Pitot is blind until one is.`,
    runbook: 'PitotTargetMissing',
    dashboard: { uid: 'pitot-operator', variables: [] },
  };
}

function targetDown(): Alert {
  return {
    alert: 'PitotTargetDown',
    about: 'Whatever the job is called: what was a gateway within a day is one. By name only what never was scraped.',
    expr: [
      `up == 0 and on (${by}) max_over_time(pitot_build_info[1d])`,
      'or up{job=~"(.*[^a-z])?pitot([^a-z].*)?"} == 0',
    ].join('\n'),
    for: '2m',
    severity: 'critical',
    summary: 'Gateway {{ $labels.instance }} cannot be scraped.',
    description: `It is down, hangs, cannot be reached or refuses the token. Of the targets of job {{ $labels.job }}, ${asked({ query: 'sum(up{job=%q})', labels: ['job'] })} of ${asked({ query: 'count(up{job=%q})', labels: ['job'] })} are up.`,
    runbook: 'PitotTargetDown',
    dashboard: DASHBOARD,
  };
}

function restarting(): Alert {
  return {
    alert: 'PitotRestarting',
    expr: `changes(process_start_time_seconds[30m]) > 2\n${IS_PITOT}`,
    severity: 'warning',
    summary: `Gateway {{ $labels.instance }}${WORKER} restarts again and again.`,
    description: 'It started {{ $value }} times in the last 30 minutes. Each time the streams it was relaying are cut.',
    runbook: 'PitotRestarting',
    dashboard: DASHBOARD,
  };
}

function reloadFailed(): Alert {
  const since = asked({
    query: `time() - max(pitot_config_last_reload_success_timestamp_seconds{${matching(BY)}})`,
    labels: BY,
    format: 'humanizeDuration',
  });
  return {
    alert: 'PitotConfigReloadFailed',
    expr: 'pitot_config_last_reload_successful == 0',
    severity: 'warning',
    summary: 'Gateway {{ $labels.instance }} refused its new configuration.',
    description: `The configuration of ${since} ago is still in force; a restart would fail.`,
    runbook: 'PitotConfigReloadFailed',
    dashboard: DASHBOARD,
  };
}

function relayDelay(): Alert {
  return {
    alert: 'PitotRelayDelay',
    about: 'Of a thousand chunks at least: in a quiet night one late chunk is more than one in a hundred.',
    expr: `histogram_quantile(0.99, sum by (${by}, worker, le) (rate(pitot_relay_delay_seconds_bucket[5m]))) > 0.01
and on (${by}, worker) sum by (${by}, worker) (increase(pitot_relay_delay_seconds_count[5m])) >= 1000`,
    for: '5m',
    severity: 'warning',
    summary: `Gateway {{ $labels.instance }}${WORKER} relays late.`,
    description: `One chunk in a hundred waits {{ $value | humanizeDuration }} or more in the gateway; usual is less than a millisecond. ${PART_OF_MEASUREMENT}`,
    runbook: 'Gateway saturation',
    dashboard: DASHBOARD,
  };
}

function eventLoopLag(): Alert {
  return {
    alert: 'PitotEventLoopLag',
    expr: `max by (${by}, worker) (pitot_event_loop_lag_p99_seconds) > 0.05`,
    for: '5m',
    severity: 'warning',
    summary: `The event loop of gateway {{ $labels.instance }}${WORKER} lags.`,
    description: `Its 99th percentile is {{ $value | humanizeDuration }} late. ${PART_OF_MEASUREMENT}`,
    runbook: 'Gateway saturation',
    dashboard: DASHBOARD,
  };
}

function eventLoopBusy(): Alert {
  return {
    alert: 'PitotEventLoopBusy',
    about: 'Not CPU time: collecting garbage and counting tokens have threads of their own, relaying has one.',
    expr: `rate(nodejs_eventloop_active_seconds_total[5m]) > 0.9\n${IS_PITOT}`,
    for: '10m',
    severity: 'warning',
    summary: `Gateway {{ $labels.instance }}${WORKER} is at the end of its core.`,
    description: `Its event loop was busy in {{ $value | humanizePercentage }} of the last 5 minutes. ${PART_OF_MEASUREMENT}`,
    runbook: 'Gateway saturation',
    dashboard: DASHBOARD,
  };
}

function memoryHigh(): Alert {
  const limit = asked({
    query: `max(pitot_memory_limit_bytes{${matching(BY)}})`,
    labels: BY,
    format: 'humanize1024',
  });
  return {
    alert: 'PitotMemoryHigh',
    about: 'The limit is of all processes of a gateway together.',
    expr: `sum by (${by}) (process_resident_memory_bytes)\n/ on (${by}) max by (${by}) (pitot_memory_limit_bytes) > 0.9`,
    for: '10m',
    severity: 'warning',
    summary: 'Gateway {{ $labels.instance }} is close to its memory limit.',
    description: `It holds {{ $value | humanizePercentage }} of its limit of ${limit}B. Over the limit the kernel ends it, and all streams with it.`,
    runbook: 'Gateway saturation',
    dashboard: DASHBOARD,
  };
}

function fileDescriptorsHigh(): Alert {
  return {
    alert: 'PitotFileDescriptorsHigh',
    expr: `process_open_fds / process_max_fds > 0.8\n${IS_PITOT}`,
    for: '5m',
    severity: 'warning',
    summary: `Gateway {{ $labels.instance }}${WORKER} runs out of file descriptors.`,
    description:
      '{{ $value | humanizePercentage }} of the sockets and files it may open are open. Each stream takes two; at the limit, clients find no connection.',
    runbook: 'Gateway saturation',
    dashboard: DASHBOARD,
  };
}
