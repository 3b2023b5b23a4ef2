import type { SloSnapshot } from '../../live/snapshot-type.ts';
import type { ChartSpec } from './chart-specs.ts';
import type { Target } from './scale.ts';

/** What the workloads' SLOs ask of a chart: one line for each value, with the names of those that share it. */
export function targetsOf(spec: Pick<ChartSpec, 'targetOf' | 'text'>, slos: readonly SloSnapshot[]): Target[] {
  const names = new Map<number, string[]>();
  for (const slo of slos) {
    const value = spec.targetOf?.(slo) ?? null;
    if (value !== null) names.set(value, [...(names.get(value) ?? []), slo.workload]);
  }
  return [...names].map(([value, workloads]) => ({
    value,
    label: `SLO ${spec.text(value)}, ${workloads.join(', ')}`,
  }));
}
