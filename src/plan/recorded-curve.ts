import { OperatingCurve } from '../curve/operating-curve.ts';
import type { RecordedStep } from './recorded-steps.ts';

/** Tokens of an answer in one piece are counted when it ends: of the time in flight, more than this share of it makes a step's rate mean little. */
const UNSTREAMED_SHARE = 0.05;
/** A run of steps is so many times as long as the longest answer in it: what began before it and ends after it is then a tenth. */
export const ANSWERS_A_RUN = 10;
/** Steps are of one run while their concurrency is within this factor of its mean. */
const NEAR = Math.SQRT2;

interface TimedStep {
  atSeconds: number;
  step: RecordedStep;
}

/**
 * The curve of one upstream, from steps in the order of time. Where much in flight is not streamed, the tokens of
 * a step are those of answers that happened to end in it; so such steps are taken together in runs of like
 * concurrency, and each has the throughput of its run. Runs that are short against their answers are left out.
 */
export class RecordedCurve {
  readonly curve = new OperatingCurve();
  /** Steps of runs that were too short. */
  leftOut = 0;
  /** Steps in which not every Pitot was scraped from end to end. */
  notWhole = 0;
  /** The models in any of them. */
  readonly modelsLeftOut = new Set<string>();
  readonly #stepSeconds: number;
  #run: TimedStep[] = [];

  constructor(stepSeconds: number) {
    this.#stepSeconds = stepSeconds;
  }

  take(one: TimedStep): void {
    const isPooled = one.step.unstreamed > UNSTREAMED_SHARE * one.step.concurrency;
    if (!isPooled || !this.#continues(one)) this.close();
    if (isPooled) this.#run.push(one);
    else this.curve.add(one.step.close(), one.atSeconds * 1000);
  }

  /** In the place of `take`, for a step whose sums lack what a Pitot counted. */
  leaveOut(step: RecordedStep): void {
    this.notWhole += 1;
    this.#noteModels(step);
  }

  /** After the last step. */
  close(): void {
    const run = this.#run;
    this.#run = [];
    const longestSeconds = Math.max(0, ...run.map(({ step }) => step.longestAnswerSeconds));
    if (run.length * this.#stepSeconds < ANSWERS_A_RUN * longestSeconds || longestSeconds === 0) {
      this.leftOut += run.length;
      for (const { step } of run) this.#noteModels(step);
      return;
    }
    const tokensPerSecond = mean(run.map(({ step }) => step.tokensPerSecond));
    const concurrency = mean(run.map(({ step }) => step.concurrency));
    for (const { step, atSeconds } of run)
      this.curve.add({ ...step.close(), tokensPerSecond, concurrency }, atSeconds * 1000);
  }

  #noteModels(step: RecordedStep): void {
    for (const model of step.generatingModels()) this.modelsLeftOut.add(model);
  }

  #continues({ atSeconds, step }: TimedStep): boolean {
    const last = this.#run.at(-1);
    if (last === undefined) return true;
    const usual = mean(this.#run.map((one) => one.step.concurrency));
    const isNear = step.concurrency < usual * NEAR && step.concurrency > usual / NEAR;
    return isNear && atSeconds - last.atSeconds <= this.#stepSeconds;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
