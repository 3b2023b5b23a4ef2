import { checkProfile, type EngineProfile, stepDurationMs } from './engine-profile.ts';
import { Sequence, type TokenAsk } from './engine-sequence.ts';
import { type Random, seededRandom } from './random.ts';

/** Tokens that one request got from one step. */
export interface Emission {
  readonly id: number;
  readonly tokens: number;
  readonly first: boolean;
  readonly finished: boolean;
}

/** One engine step, when it is over: all its tokens come out together. */
export interface StepOutcome {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly decodingRequests: number;
  readonly prefilledTokens: number;
  readonly emissions: readonly Emission[];
}

/** What the engine really did, since its start. Pitot's figures are compared with these. */
export interface EngineTruth {
  steps: number;
  busyMs: number;
  generatedTokens: number;
  prefilledTokens: number;
  submitted: number;
  finished: number;
  cancelled: number;
  running: number;
  waiting: number;
}

interface Step {
  startedMs: number;
  endsMs: number;
  decoding: readonly Sequence[];
  prefills: readonly { sequence: Sequence; tokens: number }[];
}

/**
 * Continuous batching as a pure model: no I/O, no clock of its own, the same seed and the same calls
 * give the same answer. Whoever drives it hands in the time of a submission and calls `finishStep`
 * when `stepEndsMs` has come; the next step starts where the last one ended, so that a driver that
 * comes late delays tokens but never changes the engine's rate.
 */
export class EngineModel {
  readonly profile: EngineProfile;
  readonly #random: Random;
  readonly #waiting = new Map<number, Sequence>();
  readonly #running = new Map<number, Sequence>();
  readonly #done = {
    steps: 0,
    busyMs: 0,
    generatedTokens: 0,
    prefilledTokens: 0,
    submitted: 0,
    finished: 0,
    cancelled: 0,
  };
  #step: Step | null = null;

  /** Throws RangeError for a profile that describes no engine. */
  constructor(profile: EngineProfile, seed: number) {
    checkProfile(profile);
    this.profile = profile;
    this.#random = seededRandom(seed);
  }

  /** When the step under way ends; null while the engine is idle. */
  get stepEndsMs(): number | null {
    return this.#step?.endsMs ?? null;
  }

  /**
   * Queues a request and returns its id. An idle engine starts a step at `nowMs`; else the request
   * joins at the next step. Steps due before `nowMs` must be finished first.
   */
  submit(ask: TokenAsk, nowMs: number): number {
    this.#done.submitted += 1;
    const sequence = new Sequence(this.#done.submitted, ask);
    this.#waiting.set(sequence.id, sequence);
    if (this.#step === null) this.#begin(nowMs);
    return sequence.id;
  }

  /** Forgets a request and frees its place at once. False when it is not in the engine (any more). */
  cancel(id: number): boolean {
    const known = this.#waiting.delete(id) || this.#running.delete(id);
    if (known) this.#done.cancelled += 1;
    return known;
  }

  /** Ends the step under way and starts the next one at the same moment. Throws when the engine is idle. */
  finishStep(): StepOutcome {
    const step = this.#step;
    if (step === null) throw new Error('no step is under way');
    const emissions: Emission[] = [];
    for (const sequence of step.decoding) this.#emit(sequence, this.#tokensPerStep(), emissions);
    let prefilledTokens = 0;
    for (const { sequence, tokens } of step.prefills) {
      if (!this.#running.has(sequence.id)) continue;
      sequence.prefilledTokens += tokens;
      prefilledTokens += tokens;
      if (sequence.unprefilledTokens === 0) this.#emit(sequence, 1, emissions);
    }
    this.#done.steps += 1;
    this.#done.busyMs += step.endsMs - step.startedMs;
    this.#done.prefilledTokens += prefilledTokens;
    this.#begin(step.endsMs);
    return {
      startedMs: step.startedMs,
      endedMs: step.endsMs,
      decodingRequests: step.decoding.length,
      prefilledTokens,
      emissions,
    };
  }

  truth(): EngineTruth {
    return { ...this.#done, running: this.#running.size, waiting: this.#waiting.size };
  }

  #begin(startedMs: number): void {
    for (const sequence of this.#waiting.values()) {
      if (this.#running.size >= this.profile.slots) break;
      this.#waiting.delete(sequence.id);
      this.#running.set(sequence.id, sequence);
    }
    if (this.#running.size === 0) {
      this.#step = null;
      return;
    }
    const decoding: Sequence[] = [];
    const prefills: { sequence: Sequence; tokens: number }[] = [];
    let contextTokens = 0;
    let budget = this.profile.prefillChunkTokens;
    for (const sequence of this.#running.values()) {
      if (sequence.decoding) {
        decoding.push(sequence);
        contextTokens += sequence.contextTokens;
      } else if (budget > 0) {
        const tokens = Math.min(budget, sequence.unprefilledTokens);
        prefills.push({ sequence, tokens });
        budget -= tokens;
      }
    }
    const prefillTokens = this.profile.prefillChunkTokens - budget;
    const meanMs = stepDurationMs(this.profile, { decodingRequests: decoding.length, contextTokens, prefillTokens });
    const jitter = 1 + this.profile.stepJitter * (2 * this.#random() - 1);
    this.#step = { startedMs, endsMs: startedMs + meanMs * jitter, decoding, prefills };
  }

  #tokensPerStep(): number {
    const { speculation } = this.profile;
    let tokens = 1;
    if (speculation === null) return tokens;
    while (tokens <= speculation.draftTokens && this.#random() < speculation.acceptance) tokens += 1;
    return tokens;
  }

  #emit(sequence: Sequence, drawn: number, emissions: Emission[]): void {
    if (!this.#running.has(sequence.id)) return;
    const tokens = Math.min(drawn, sequence.outputTokens - sequence.generatedTokens);
    const first = !sequence.decoding;
    sequence.generatedTokens += tokens;
    this.#done.generatedTokens += tokens;
    if (sequence.finished) {
      this.#running.delete(sequence.id);
      this.#done.finished += 1;
    }
    emissions.push({ id: sequence.id, tokens, first, finished: sequence.finished });
  }
}
