import type { Emission, EngineModel, StepOutcome } from '../../src/demo/engine-model.ts';
import type { TokenAsk } from '../../src/demo/engine-sequence.ts';

/** One answered request, in the engine's own time. */
export interface Answered {
  submittedMs: number;
  firstTokenMs: number;
  lastTokenMs: number;
  ask: TokenAsk;
}

export interface ClosedLoop {
  model: EngineModel;
  concurrency: number;
  /** The lengths of the next request. */
  nextAsk: () => TokenAsk;
  durationMs: number;
  /** Called at the end of every engine step, in order. */
  onStep?: (outcome: StepOutcome) => void;
  onAnswer?: (answered: Answered) => void;
}

/**
 * Drives the engine as fast as the processor allows, in simulated time: `concurrency` clients, each
 * sending its next request at the moment its last was answered. Starts at 0 and stops at the first
 * step that ends at or after `durationMs`, whose time it returns.
 */
export function runClosedLoop(loop: ClosedLoop): number {
  const { model } = loop;
  const open = new Map<number, Answered>();
  const submit = (nowMs: number) => {
    const ask = loop.nextAsk();
    open.set(model.submit(ask, nowMs), { submittedMs: nowMs, firstTokenMs: nowMs, lastTokenMs: nowMs, ask });
  };
  const take = (emission: Emission, nowMs: number) => {
    const request = open.get(emission.id);
    if (request === undefined) throw new Error(`tokens for the unknown request ${emission.id}`);
    if (emission.first) request.firstTokenMs = nowMs;
    request.lastTokenMs = nowMs;
    if (!emission.finished) return;
    open.delete(emission.id);
    loop.onAnswer?.(request);
    submit(nowMs);
  };
  for (let client = 0; client < loop.concurrency; client += 1) submit(0);
  for (;;) {
    const outcome = model.finishStep();
    loop.onStep?.(outcome);
    for (const emission of outcome.emissions) take(emission, outcome.endedMs);
    if (outcome.endedMs >= loop.durationMs) return outcome.endedMs;
  }
}
