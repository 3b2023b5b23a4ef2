import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const PROMETHEUS = resolve(import.meta.dirname, '../../config/prometheus');

export interface ShippedAlert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ShippedRecording {
  readonly record: string;
  readonly expr: string;
}

export interface RuleFileContent {
  readonly groups: { readonly name: string; interval?: string; readonly rules: (ShippedAlert | ShippedRecording)[] }[];
}

/** The rule files as they are shipped, by name. */
export const SHIPPED_RULES: ReadonlyMap<string, string> = filesOf('rules');

const RULES = [...SHIPPED_RULES.values()].flatMap((text) =>
  (parse(text) as RuleFileContent).groups.flatMap(({ rules }) => rules),
);
export const SHIPPED_ALERTS = RULES.filter((rule): rule is ShippedAlert => 'alert' in rule);
export const SHIPPED_RECORDINGS = RULES.filter((rule): rule is ShippedRecording => 'record' in rule);

interface AlertExpectation {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts: readonly { exp_annotations: Record<string, string> }[];
}

/** One `tests:` entry of a file for `promtool test rules`. */
export interface Scenario {
  readonly name: string;
  readonly input_series: readonly { series: string }[];
  readonly alert_rule_test?: readonly AlertExpectation[];
}

/** The scenarios beside the rules. */
export const SCENARIO_FOLDER = join(PROMETHEUS, 'tests');
export const SCENARIO_FILES = [...filesOf('tests').keys()];
export const SCENARIOS: readonly Scenario[] = [...filesOf('tests').values()].flatMap(
  (text) => (parse(text) as { tests: Scenario[] }).tests,
);

function filesOf(folder: string): Map<string, string> {
  const path = join(PROMETHEUS, folder);
  return new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}
