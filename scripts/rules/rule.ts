/** Rules of Prometheus as data; `scripts/gen-rules.ts` writes them as plain rule files. */

/** The name of another metric, kept up to date by Prometheus. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
  /** What its values mean, where the name does not say. */
  readonly about?: string;
}

/** critical wakes somebody, warning is for the next working day, info is for who looks. */
export type Severity = 'critical' | 'warning' | 'info';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly severity: Severity;
  readonly labels?: Readonly<Record<string, string>>;
  /** One line for a pager. */
  readonly summary: string;
  /** With the numbers: how bad, against what. */
  readonly description: string;
  /** A heading of docs/RUNBOOK.md. */
  readonly runbook: string;
  readonly dashboard: Dashboard;
  /** Why it is asked this way. */
  readonly about?: string;
}

export interface Dashboard {
  readonly uid: 'pitot-operator' | 'pitot-slo' | 'pitot-users' | 'pitot-cost';
  /** Labels of the alert that the dashboard has a variable for. */
  readonly variables: readonly string[];
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (Recording | Alert)[];
}

export interface RuleFile {
  /** `slo` becomes config/prometheus/rules/slo.yml. */
  readonly name: string;
  readonly about: readonly string[];
  readonly groups: readonly RuleGroup[];
}
