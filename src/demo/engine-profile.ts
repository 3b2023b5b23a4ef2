/**
 * The constants of a simulated engine and the one formula they enter. A step is one forward pass:
 * every decoding request gets its next token, and a chunk of waiting prompts is prefilled beside
 * them, which is how vLLM and SGLang batch (chunked prefill).
 */
export interface EngineProfile {
  /** Requests that may hold a place in the batch at once, prefilling or decoding; the rest queue. Vllm's `max_num_seqs`. */
  readonly slots: number;
  /** What a step costs however few requests share it: the weights are read once per step. */
  readonly stepBaseMs: number;
  /** What each decoding request adds to a step. */
  readonly stepPerRequestMs: number;
  /** What each thousand tokens of context held by decoding requests add: attention reads the KV cache. */
  readonly stepPerThousandContextMs: number;
  /** Prompt tokens per second while only prefilling. */
  readonly prefillTokensPerSecond: number;
  /** Prompt tokens that one step may prefill, over all requests, in order of arrival. */
  readonly prefillChunkTokens: number;
  /** Several tokens per step and request: drafts are accepted one after the other, each with this chance. */
  readonly speculation: { readonly draftTokens: number; readonly acceptance: number } | null;
  /** Steps are longer or shorter by up to this share, evenly, so that the mean stays. In [0, 1). */
  readonly stepJitter: number;
}

/**
 * An engine of the size of an 8B model on one GPU, invented for the demo: it saturates inside the
 * demo's walk of 1 to 32 requests, with 24 slots, so that both sides of the knee can be seen.
 */
export const DEMO_PROFILE: EngineProfile = {
  slots: 24,
  stepBaseMs: 9,
  stepPerRequestMs: 0.45,
  stepPerThousandContextMs: 0.04,
  prefillTokensPerSecond: 16_000,
  prefillChunkTokens: 512,
  speculation: null,
  stepJitter: 0.05,
};

/** What one step has to do. */
export interface StepWork {
  decodingRequests: number;
  contextTokens: number;
  prefillTokens: number;
}

/** How long a step takes, in milliseconds, before jitter. The model and its curve both use this. */
export function stepDurationMs(profile: EngineProfile, work: StepWork): number {
  return (
    profile.stepBaseMs +
    profile.stepPerRequestMs * work.decodingRequests +
    (profile.stepPerThousandContextMs * work.contextTokens) / 1_000 +
    (work.prefillTokens / profile.prefillTokensPerSecond) * 1_000
  );
}

/** Throws RangeError where the constants could not describe an engine (a step of no length would never let time pass). */
export function checkProfile(profile: EngineProfile): void {
  const claims: [boolean, string][] = [
    [Number.isInteger(profile.slots) && profile.slots >= 1, 'slots must be a whole number of at least 1'],
    [profile.stepBaseMs > 0, 'stepBaseMs must be above 0'],
    [profile.stepPerRequestMs >= 0, 'stepPerRequestMs must not be negative'],
    [profile.stepPerThousandContextMs >= 0, 'stepPerThousandContextMs must not be negative'],
    [profile.prefillTokensPerSecond > 0, 'prefillTokensPerSecond must be above 0'],
    [
      Number.isInteger(profile.prefillChunkTokens) && profile.prefillChunkTokens >= 1,
      'prefillChunkTokens must be a whole number of at least 1',
    ],
    [profile.stepJitter >= 0 && profile.stepJitter < 1, 'stepJitter must be in [0, 1)'],
  ];
  for (const [holds, expected] of claims) if (!holds) throw new RangeError(`engine profile: ${expected}`);
}
