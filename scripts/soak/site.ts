/** By this it shows in the metrics which round of the configuration is in force. */
export const priceOf = (round: number): number => 2 + round / 1_000;

/** The configuration under which Pitot is soaked. Every round differs a little, as reloads make it. */
export function configOf(enginePort: number): (round: number) => object {
  const url = `http://127.0.0.1:${enginePort}`;
  return (round) => ({
    upstreams: [
      {
        name: 'impatient',
        url,
        match: { path: '/impatient' },
        timeouts: { headers: '300ms', idle: '300ms' },
        usage: 'never',
      },
      // The port of discard: nobody listens there.
      { name: 'nowhere', url: 'http://127.0.0.1:9', match: { path: '/nowhere' } },
      { name: 'by-model', url, match: { path: '/by-model', model: '*-8b' }, engine: 'vllm' },
      { name: 'by-model-rest', url, match: { path: '/by-model', model: '*' }, usage: 'never' },
      {
        name: 'main',
        url,
        engine: 'vllm',
        gpus: 1 + (round % 3),
        gpu_price_per_hour: priceOf(round),
        keep_alive: `${3_000 + round}ms`,
      },
    ],
    workloads: [
      { name: 'batch', match: { header: { 'x-workload': 'batch' } } },
      { name: 'default', slo: { ttft: `${1 + (round % 4)}s`, tpot: '50ms' } },
    ],
    models: [{ match: 'llama*', reference_price: { input: 0.05, output: 0.08 } }],
    identity: { max_users: 20 },
    log: { level: 'warn' },
  });
}
