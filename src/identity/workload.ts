import { type Headers, headerOf } from './headers.ts';

/** What no configured workload takes. */
const DEFAULT_WORKLOAD = 'default';

/** An entry of `workloads`, as far as matching goes. */
export interface WorkloadRule {
  name: string;
  match: { header: Readonly<Record<string, string>> };
}

/** Names the workload of a request: the first whose headers all have their values; one without headers takes every request. */
export function createWorkloadMatcher(workloads: readonly WorkloadRule[]): (headers: Headers) => string {
  const rules = workloads.map(({ name, match }) => ({
    name,
    wanted: Object.entries(match.header).map(([header, value]) => [header.toLowerCase(), value] as const),
  }));
  return (headers) => {
    const rule = rules.find(({ wanted }) => wanted.every(([header, value]) => headerOf(headers, header) === value));
    return rule?.name ?? DEFAULT_WORKLOAD;
  };
}
