import { ORDER_HEADER } from '../event.ts';
import type { Target } from '../load-user.ts';

/** A set is upstream, model and workload: 99 models and `unknown`, by two workloads, are 200. */
const MODELS = 99;
const WORKLOADS = ['interactive', 'batch'];
export const LABEL_SETS = (MODELS + 1) * WORKLOADS.length;

/** What Pitot has to be told, so that each request below makes a set, and a user, of its own. */
export const LABEL_SET_CONFIGURATION = {
  workloads: [
    { name: 'batch', match: { header: { 'x-workload': 'batch' } } },
    { name: 'interactive', slo: { ttft: '2s', tpot: '50ms', objective: 0.99 } },
  ],
  identity: { user: [{ header: 'x-user-id' }] },
};

/** One short answer each, for only a model that the upstream has confirmed has series. */
export async function makeLabelSets(through: Target): Promise<void> {
  for (let index = 0; index < MODELS; index += 1) {
    const model = `bench-model-${index}`;
    for (const workload of WORKLOADS) await complete(through, { model, workload, user: `${workload}-user-${index}` });
  }
}

/** How many there are, as /metrics says. */
export function labelSetsIn(metrics: string): number {
  return metrics.split('\n').filter((line) => line.startsWith('pitot_output_tokens_total{')).length;
}

interface Request {
  readonly model: string;
  readonly workload: string;
  readonly user: string;
}

/** @throws Error when the answer is not 200. */
async function complete({ host, port }: Target, { model, workload, user }: Request): Promise<void> {
  const order = JSON.stringify({ kind: 'stream', events: 3, perSecond: 1_000, phase: 0, model });
  const headers = {
    'content-type': 'application/json',
    'x-workload': workload,
    'x-user-id': user,
    [ORDER_HEADER]: order,
  };
  const body = JSON.stringify({ model, stream: true, stream_options: { include_usage: true }, messages: [] });
  const response = await fetch(`http://${host}:${port}/v1/chat/completions`, { method: 'POST', headers, body });
  await response.text();
  if (response.status !== 200) throw new Error(`A request through Pitot was answered by ${response.status}.`);
}
