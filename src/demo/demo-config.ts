import type { EngineProfile } from './engine-profile.ts';
import { BATCH_SHARE, LENGTHS } from './load-plan.ts';

export interface DemoPorts {
  /** HOST:PORT of the data port. */
  listen: string;
  /** HOST:PORT of the admin port. */
  admin: string;
}

/**
 * The gateway's configuration for the demo, as a configuration file would hold it (CONTRACT §3):
 * who starts the gateway runs it through the same checks and defaults. The log is at `warn`, since
 * a line per request would tear the screen.
 */
export function demoConfig(engineUrl: string, ports: DemoPorts) {
  return {
    listen: ports.listen,
    admin: { listen: ports.admin },
    upstreams: [
      {
        name: 'demo-engine',
        url: engineUrl,
        engine: 'other',
        // Half of the clients do not ask for usage (load-plan.ts); under `auto`, an engine with no name would not be asked either.
        usage: 'always',
        gpus: 1,
        conditions: { gpu: 'simulated' },
      },
    ],
    workloads: [
      { name: 'batch', match: { header: { 'x-workload': 'batch' } } },
      { name: 'interactive', slo: { ttft: '500ms', tpot: '40ms' } },
    ],
    shutdown_grace: '2s',
    log: { level: 'warn' },
  };
}

export type DemoConfig = ReturnType<typeof demoConfig>;

/** What the throughput of the demo depends on, to be stated beside it. */
export function demoConditions(profile: EngineProfile): string[] {
  const { chat, batch } = LENGTHS;
  const span = ({ least, most }: { least: number; most: number }) => `${least}–${most.toLocaleString('en-US')}`;
  return [
    `simulated engine: ${profile.slots} slots, a step of ${profile.stepBaseMs} ms + ${profile.stepPerRequestMs} ms per request`,
    `chat: ${span(chat.input)} tokens in, ${span(chat.output)} out, streamed`,
    `batch, ${Math.round(BATCH_SHARE * 100)} % of requests: ${span(batch.input)} in, ${span(batch.output)} out, unstreamed`,
  ];
}
