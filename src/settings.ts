import type { Config } from './config/schema.ts';
import { createIdentifier } from './identity/identify.ts';
import { createWorkloadMatcher } from './identity/workload.ts';

/** What of the configuration the data port asks for each request; swapped whole on a reload. */
export interface Settings {
  readonly config: Config;
  readonly identify: ReturnType<typeof createIdentifier>;
  readonly workloadOf: ReturnType<typeof createWorkloadMatcher>;
}

export function settingsOf(config: Config): Settings {
  return {
    config,
    identify: createIdentifier(config.identity),
    workloadOf: createWorkloadMatcher(config.workloads),
  };
}
