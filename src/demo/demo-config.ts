import type { EngineProfile } from './engine-profile.ts';
import { DEMO_MODEL } from './engine-request.ts';
import { BATCH_SHARE, LENGTHS } from './load-plan.ts';

export interface DemoPorts {
  /** HOST:PORT of the data port. */
  listen: string;
  /** HOST:PORT of the admin port. */
  admin: string;
}

/** Dollars, as invented as the engine: set so that the GPU pays from the middle of the walk upwards, and not below. */
const PRICES = { gpuHour: 1.2, reference: { input: 0.1, output: 0.4 } } as const;

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
        gpu_price_per_hour: PRICES.gpuHour,
        conditions: { gpu: 'simulated' },
        // At 8 in flight the engine gives about 500 tokens a second: the floor is kept with some room.
        floor: { output_tokens_per_second: 400, min_concurrency: 8 },
      },
    ],
    models: [{ match: DEMO_MODEL, reference_price: PRICES.reference }],
    workloads: [
      { name: 'batch', match: { header: { 'x-workload': 'batch' } }, slo: { e2e: '15s', objective: 0.95 } },
      { name: 'interactive', slo: { ttft: '500ms', tpot: '40ms', objective: 0.9 } },
    ],
    identity: { user: [{ header: 'x-user-id' }, { api_key: 'hash' }] },
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
