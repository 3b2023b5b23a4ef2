import { type Headers, headerOf } from './headers.ts';
import { type OverridableSlo, overriddenBy } from './slo-override.ts';

/** What no configured workload takes. */
const DEFAULT_WORKLOAD = 'default';

/** Targets in milliseconds, `speed` in tokens per second; null: no target. */
export interface WorkloadSlo extends OverridableSlo {
  gap: number | null;
  e2e: number | null;
}

/** An entry of `workloads`, as far as it says whose requests are which, and what they are judged by. */
export interface WorkloadRule {
  name: string;
  match: { header: Readonly<Record<string, string>> };
  slo: WorkloadSlo;
  slo_override: boolean;
}

/** What a request belongs to. */
export interface Workload {
  name: string;
  /** What it is judged by; null where the workload has no target. */
  targets: WorkloadSlo | null;
}

const NO_WORKLOAD: Workload = { name: DEFAULT_WORKLOAD, targets: null };

/** Finds the workload of a request: the first whose headers all have their values; one without headers takes every request. */
export function createWorkloadMatcher(workloads: readonly WorkloadRule[]): (headers: Headers) => Workload {
  const rules = workloads.map(({ name, match, slo, slo_override: mayOverride }) => ({
    wanted: Object.entries(match.header).map(([header, value]) => [header.toLowerCase(), value] as const),
    found: { name, targets: hasTarget(slo) ? slo : null },
    slo: mayOverride ? slo : null,
  }));
  return (headers) => {
    const rule = rules.find(({ wanted }) => wanted.every(([header, value]) => headerOf(headers, header) === value));
    if (rule === undefined) return NO_WORKLOAD;
    if (rule.slo === null) return rule.found;
    const targets = overriddenBy(headers, rule.slo);
    return { name: rule.found.name, targets: hasTarget(targets) ? targets : null };
  };
}

const TARGETED = ['ttft', 'tpot', 'speed', 'gap', 'e2e'] as const;

/** On which SLOs requests of a workload can be judged; `all` among them if on any. */
export function slosOf({ slo, slo_override: mayOverride }: Pick<WorkloadRule, 'slo' | 'slo_override'>) {
  const possible = mayOverride ? overriddenBy({ 'x-slo-ttft-ms': '1', 'x-slo-tpot-ms': '1' }, slo) : slo;
  const slos = TARGETED.filter((name) => possible[name] !== null);
  return slos.length === 0 ? [] : ([...slos, 'all'] as const);
}

function hasTarget(slo: WorkloadSlo): boolean {
  return TARGETED.some((name) => slo[name] !== null);
}
