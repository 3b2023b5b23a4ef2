import type { EngineTruth } from './engine-model.ts';
import { DEMO_MODEL } from './engine-request.ts';

/** The engine's own counts in Prometheus' text format, under the names that vLLM gives them. */
export function engineMetrics(truth: EngineTruth): string {
  const families: [string, 'counter' | 'gauge', string, number][] = [
    ['vllm:prompt_tokens_total', 'counter', 'Prompt tokens prefilled.', truth.prefilledTokens],
    [
      'vllm:generation_tokens_total',
      'counter',
      'Tokens generated, for clients that left as well.',
      truth.generatedTokens,
    ],
    ['vllm:num_requests_running', 'gauge', 'Requests in the batch, prefilling or decoding.', truth.running],
    ['vllm:num_requests_waiting', 'gauge', 'Requests that wait for a place in the batch.', truth.waiting],
    ['vllm:request_success_total', 'counter', 'Requests generated to their end.', truth.finished],
  ];
  return families
    .map(
      ([name, type, help, value]) =>
        `# HELP ${name} ${help} Simulated by pitot demo.\n# TYPE ${name} ${type}\n${name}{model_name="${DEMO_MODEL}"} ${value}\n`,
    )
    .join('');
}
