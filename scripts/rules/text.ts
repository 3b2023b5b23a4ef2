/** Texts of alerts: Go templates, as Prometheus expands them. */

import type { Dashboard } from './rule.ts';

/**
 * Where links lead. Rule files are static and know neither the address of a Grafana nor that of this
 * repository; what Prometheus can hand into them are its external labels. Without these labels, links
 * lead to the Grafana of docker-compose.yml and to the runbook's path in the repository.
 */
export const LINK_LABELS = {
  pitot_grafana_url: 'http://localhost:3000',
  pitot_runbook_url: 'docs/RUNBOOK.md',
} as const;

const baseUrl = (label: keyof typeof LINK_LABELS) => `{{ or $externalLabels.${label} "${LINK_LABELS[label]}" }}`;

export function runbookUrl(heading: string): string {
  return `${baseUrl('pitot_runbook_url')}#${anchorOf(heading)}`;
}

/** As GitHub makes anchors of headings. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

export function dashboardUrl({ uid, variables }: Dashboard): string {
  const chosen = variables.map((label) => `var-${label}={{ $labels.${label} | urlquery }}`);
  const query = chosen.length === 0 ? '' : `?${chosen.join('&')}`;
  return `${baseUrl('pitot_grafana_url')}/d/${uid}${query}`;
}

interface Asked {
  /** PromQL in which every %q stands for the value of one of the labels, in their order. */
  readonly query: string;
  readonly labels: readonly string[];
  /** A function of Prometheus' templates. */
  readonly format?: string;
  /** What is written where the query finds nothing. */
  readonly otherwise?: string;
}

/** Another number in the text of an alert, asked for whenever the alert is evaluated. */
export function asked({ query, labels, format = 'humanize', otherwise = 'unknown' }: Asked): string {
  const values = labels.map((label) => ` $labels.${label}`).join('');
  return `{{ with printf \`${query}\`${values} | query }}{{ . | first | value | ${format} }}{{ else }}${otherwise}{{ end }}`;
}

/** What `metric` says of the thing the alert is about, by the labels they share. */
export function numberOf(metric: string, labels: readonly string[], format?: string): string {
  const query = `max(${metric}{${matching(labels)}})`;
  return asked({ query, labels, ...(format === undefined ? {} : { format }) });
}

/** Matchers for `asked`: these labels, as the alert has them. */
export function matching(labels: readonly string[]): string {
  return labels.map((label) => `${label}=%q`).join(',');
}
