import { type EngineProfile, stepDurationMs } from './engine-profile.ts';
import type { TokenAsk } from './engine-sequence.ts';

/** One point of the engine's true operating curve, in steady state. */
export interface CurvePoint {
  /** Requests in the engine: queued, prefilling and decoding. */
  concurrency: number;
  /** Mean requests that decode at once. */
  decoding: number;
  /** Mean length of a step. */
  stepMs: number;
  /** Output tokens per second over all requests. */
  systemTokensPerSecond: number;
  /** Output tokens per second of one request while it decodes (1 / TPOT). */
  userTokensPerSecond: number;
  requestsPerSecond: number;
  /** The mean TTFT is no lower: the wait for a slot (Little's law), then the own prefill in otherwise empty steps. */
  ttftFloorMs: number;
}

/** Mean tokens that one decode step gives a request: 1 without speculation, else the geometric sum of accepted drafts. */
export function expectedTokensPerStep(profile: EngineProfile): number {
  if (profile.speculation === null) return 1;
  const { draftTokens, acceptance } = profile.speculation;
  let expected = 1;
  for (let draft = 1; draft <= draftTokens; draft += 1) expected += acceptance ** draft;
  return expected;
}

/** A step in which `batch` requests decode and none prefills: the ceiling that the engine approaches with long answers. */
export function decodeOnlyPoint(
  profile: EngineProfile,
  batch: number,
  contextTokensEach: number,
): Pick<CurvePoint, 'stepMs' | 'systemTokensPerSecond' | 'userTokensPerSecond'> {
  const contextTokens = contextTokensEach * batch;
  const stepMs = stepDurationMs(profile, { decodingRequests: batch, contextTokens, prefillTokens: 0 });
  const userTokensPerSecond = (expectedTokensPerStep(profile) / stepMs) * 1_000;
  return { stepMs, userTokensPerSecond, systemTokensPerSecond: userTokensPerSecond * batch };
}

/**
 * The steady state under a closed loop: `concurrency` clients that each send their next request as
 * soon as the last is answered, all of the lengths of `ask` (outputs of at least 2 tokens).
 *
 * Derivation. With E tokens per decode step, a request decodes for D = (O − 1) / E steps, its first
 * token coming from the step that ends its prefill. Before that it spends k = ⌈I / chunk⌉ steps
 * prefilling and, where slots are free, one more waiting: its client answers the end of a step,
 * when the next has already begun. Little's law over steps then gives the decoding share of the
 * requests in the slots. When prompts need more than one chunk a step, the prefill is what limits:
 * r = chunk / I requests a step, D of them decoding. What one decoding request sees is itself and
 * the mean of the others (the arrival theorem), not its own prefill. Mean-field: within 2 % of the
 * model for equal lengths, and for mixed ones of the same means (test/unit/demo/engine-curve).
 */
export function steadyState(profile: EngineProfile, concurrency: number, ask: TokenAsk): CurvePoint {
  const tokensPerStep = expectedTokensPerStep(profile);
  const decodeSteps = (ask.outputTokens - 1) / tokensPerStep;
  const prefillSteps = Math.ceil(ask.inputTokens / profile.prefillChunkTokens);
  const decoding = Math.min(
    (concurrency * decodeSteps) / (decodeSteps + prefillSteps + 1),
    (profile.slots * decodeSteps) / (decodeSteps + prefillSteps),
    (profile.prefillChunkTokens / ask.inputTokens) * decodeSteps,
  );
  const requestsPerStep = decoding / decodeSteps;
  const contextEach = ask.inputTokens + (ask.outputTokens + 1) / 2;
  const stepOf = (requests: number, prefillTokens: number) =>
    stepDurationMs(profile, { decodingRequests: requests, contextTokens: requests * contextEach, prefillTokens });
  const prefillTokens = requestsPerStep * ask.inputTokens;
  const stepMs = stepOf(decoding, prefillTokens);
  const held = Math.min(concurrency, profile.slots);
  const others = (held - 1) / held;
  const seenStepMs = stepOf(1 + decoding * others, prefillTokens * others);
  const requestsPerSecond = (requestsPerStep / stepMs) * 1_000;
  const queueMs = (Math.max(0, concurrency - profile.slots) / requestsPerSecond) * 1_000;
  return {
    concurrency,
    decoding,
    stepMs,
    systemTokensPerSecond: requestsPerSecond * ask.outputTokens,
    userTokensPerSecond: (tokensPerStep / seenStepMs) * 1_000,
    requestsPerSecond,
    ttftFloorMs: queueMs + unloadedTtftMs(profile, ask.inputTokens),
  };
}

/** TTFT on an idle engine, in milliseconds, before jitter: no request can be served sooner. */
export function unloadedTtftMs(profile: EngineProfile, inputTokens: number): number {
  const steps = Math.ceil(inputTokens / profile.prefillChunkTokens);
  return steps * profile.stepBaseMs + (inputTokens / profile.prefillTokensPerSecond) * 1_000;
}
