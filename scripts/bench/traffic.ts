import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './children.ts';
import type { Running } from './contestants/contestant.ts';
import { ask } from './conversation.ts';
import type { Answer, Opened, Question } from './load.ts';
import { type Plan, usersOf } from './plan.ts';
import type { Site } from './site.ts';

const OPEN_LIMIT_MS = 30_000;
/** After the streams are open: their requests are behind, the pace is steady. */
const SETTLE_MS = 700;
/** After they are closed: the contestant's own clearing up does not fall into the next measurement. */
const CLEAR_MS = 300;

/** The load client, as the measuring process sees it. */
export class Traffic {
  readonly #child: Child;

  constructor(site: Site) {
    this.#child = site.children.fork('load', new URL('./load.ts', import.meta.url));
  }

  /** @throws Error when not all users got through; what was open is closed then. */
  async open(through: Running, plan: Plan): Promise<void> {
    const { target, headers, name } = through;
    const question: Question = { kind: 'open', through: { target, headers }, plan };
    const { open, faults } = await this.#ask<Opened>(question, OPEN_LIMIT_MS);
    if (open < usersOf(plan)) {
      await this.close();
      const why = faults[0] === undefined ? '' : `; the first fault: ${faults[0]}`;
      throw new Error(`Only ${open} of ${usersOf(plan)} clients got through ${name}${why}.`);
    }
    await wait(SETTLE_MS);
  }

  measure(seconds: number): Promise<Answer> {
    return this.#ask<Answer>({ kind: 'measure', seconds }, seconds * 1000 + 10_000);
  }

  async close(): Promise<void> {
    await this.#ask<object>({ kind: 'close' }, 5_000);
    await wait(CLEAR_MS);
  }

  #ask<Told>(question: Question, limitMs: number): Promise<Told> {
    return ask<Question, Told>(this.#child, question, limitMs);
  }
}
