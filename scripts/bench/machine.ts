import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** Where the figures come from: they say little without it. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly kernel: string;
  /** Of the bench itself, and of all contestants that run on Node and say nothing else. */
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'an unknown CPU',
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: release(),
    node: process.versions.node,
  };
}

export function machineText({ cores, cpu, memoryGb, kernel, node }: Machine): string {
  return `${cores} cores of ${cpu}, ${memoryGb} GB, Linux ${kernel}, Node ${node}`;
}
