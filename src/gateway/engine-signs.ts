/** Servers that are recognised by what they answer; of the configuration's names, those with an unmistakable sign. */
export type RecognisedEngine = 'vllm' | 'sglang' | 'tgi' | 'llama.cpp' | 'ollama' | 'tensorrt-llm' | 'openai' | 'azure';

interface Sign {
  readonly engine: RecognisedEngine;
  readonly pattern: RegExp;
}

/** Header lines as `name: value`, in lower case. Azure first: it answers with OpenAI's own headers, too. */
const HEADERS: readonly Sign[] = [
  { engine: 'azure', pattern: /^(apim-request-id|azureml-model-session): / },
  { engine: 'llama.cpp', pattern: /^server: llama\.cpp\b/ },
  { engine: 'tgi', pattern: /^x-compute-type: / },
  { engine: 'openai', pattern: /^(openai-version|openai-processing-ms): / },
];

/**
 * In the JSON of OpenAI-shaped answers, streamed or not. Quotes inside texts are escaped there, so
 * nothing a model writes looks like these. TensorRT-LLM first: it has vLLM's fields and its own.
 */
const BODIES: readonly Sign[] = [
  { engine: 'tensorrt-llm', pattern: /"(disaggregated_params|avg_decoded_tokens_per_iter)" ?:/ },
  { engine: 'ollama', pattern: /"system_fingerprint" ?: ?"fp_ollama"/ },
  { engine: 'llama.cpp', pattern: /"system_fingerprint" ?: ?"b\d+-[0-9a-f]+"/ },
  { engine: 'tgi', pattern: /"system_fingerprint" ?: ?"\d+\.\d+\.\d+(-dev\d+)?-(native|sha-[0-9a-f]+)"/ },
  { engine: 'sglang', pattern: /"matched_stop" ?:/ },
  { engine: 'vllm', pattern: /"system_fingerprint" ?: ?"vllm-|"(stop_reason|prompt_token_ids|kv_transfer_params)" ?:/ },
];

/** What `owned_by` says in a list of models. `openai` is said by many that are not. */
const OWNERS: Readonly<Record<string, RecognisedEngine>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  library: 'ollama',
  llamacpp: 'llama.cpp',
};

/** By the head of any answer; null where it does not tell. */
export function engineOfHead(rawHeaders: readonly Buffer[]): RecognisedEngine | null {
  const lines: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at]?.toString('latin1')}: ${rawHeaders[at + 1]?.toString('latin1')}`.toLowerCase());
  }
  return HEADERS.find(({ pattern }) => lines.some((line) => pattern.test(line)))?.engine ?? null;
}

/** By a piece of a chat or text completion. */
export function engineOfCompletion(text: string): RecognisedEngine | null {
  return BODIES.find(({ pattern }) => pattern.test(text))?.engine ?? null;
}

/** By a list of models (`GET /v1/models`): what all of them are owned by. */
export function engineOfModels(text: string): RecognisedEngine | null {
  const owners = new Set(Array.from(text.matchAll(/"owned_by" ?: ?"([^"]*)"/g), ([, owner]) => owner));
  const [owner] = owners;
  return owners.size === 1 && owner !== undefined && Object.hasOwn(OWNERS, owner) ? (OWNERS[owner] ?? null) : null;
}
