import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { nginxVersion } from './contestants/nginx.ts';

/** Where the figures come from: they say little without it. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly kernel: string;
  readonly node: string;
  /** Null where it is not installed. */
  readonly nginx: string | null;
  /** Of the last minute, before the run: others that ran here then are likely to run still. */
  readonly loadAverage: number;
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'an unknown CPU',
    kernel: release(),
    node: process.versions.node,
    nginx: nginxVersion(),
    loadAverage: loadavg()[0] ?? 0,
  };
}
