import type { Plan } from '../../plan/plan-types.ts';
import { byId } from '../dom/element.ts';
import { writeAttribute, writeText } from '../dom/write.ts';
import { ask } from '../feed/ask.ts';
import type { AdminToken } from '../feed/token.ts';
import type { ViewState } from '../state/view-state.ts';
import { type Asked, planAsk } from './amount.ts';
import { planCard } from './plan-card.ts';

/** Typing is followed after a pause, so that 100M is not asked for as 1, 10 and 100. */
const TYPING_MS = 350;

/** Tokens per day and a TTFT target in; GPUs, GPU-hours and cost out, by `/api/plan`. */
export class PlannerView {
  readonly #state: ViewState;
  readonly #token: AdminToken;
  readonly #tokens = byId('plan-tokens', HTMLInputElement);
  readonly #ttft = byId('plan-ttft', HTMLInputElement);
  readonly #message = byId('plan-message', HTMLElement);
  readonly #plans = byId('plans', HTMLElement);
  #typing: ReturnType<typeof setTimeout> | undefined;
  #asks = 0;

  constructor(state: ViewState, token: AdminToken) {
    this.#state = state;
    this.#token = token;
    this.#tokens.value = state.view.tokensPerDay;
    this.#ttft.value = state.view.ttftSlo;
    for (const field of [this.#tokens, this.#ttft]) field.addEventListener('input', () => this.#typed());
    state.onChange(() => this.#follow());
    byId('planner-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#plan();
    });
  }

  /** Asks again: what is known of the upstreams grows. */
  refresh(): void {
    this.#plan();
  }

  /** The address has changed under the page: back and forward. */
  #follow(): void {
    const { tokensPerDay, ttftSlo } = this.#state.view;
    if (this.#typing !== undefined || (tokensPerDay === this.#tokens.value && ttftSlo === this.#ttft.value)) return;
    this.#tokens.value = tokensPerDay;
    this.#ttft.value = ttftSlo;
    this.#plan();
  }

  #typed(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#plan(), TYPING_MS);
  }

  #plan(): void {
    clearTimeout(this.#typing);
    this.#typing = undefined;
    // Whatever is still asked is of an earlier question.
    this.#asks += 1;
    const given = { tokensPerDay: this.#tokens.value, ttftSlo: this.#ttft.value };
    const { tokensPerDay, ttftSlo } = this.#state.view;
    if (given.tokensPerDay !== tokensPerDay || given.ttftSlo !== ttftSlo) this.#state.change(given);
    const asked = planAsk(given);
    this.#markFaults(asked);
    if (asked.kind === 'ask') void this.#ask(asked.path);
    else this.#show(asked.kind === 'fault' ? asked.sentence : '', []);
  }

  async #ask(path: string): Promise<void> {
    const own = this.#asks;
    const answer = await ask<{ plans: Plan[] }>(path, this.#token);
    // An answer that comes after a later question is of no use.
    if (own !== this.#asks) return;
    if (answer.kind === 'answer') {
      const { plans } = answer.body;
      this.#show(plans.length === 0 ? 'Nothing was observed yet to plan by: let traffic flow.' : '', plans);
    } else if (answer.failure.kind === 'refused') this.#show(answer.failure.sentence, []);
    // A plan that stays would be taken for the answer.
    else this.#show('The gateway did not answer: it is asked again when it is there.', []);
  }

  #show(message: string, plans: readonly Plan[]): void {
    writeText(this.#message, message);
    this.#plans.replaceChildren(...plans.map(planCard));
  }

  #markFaults(asked: Asked): void {
    const isFault = (field: 'tokens' | 'ttft') => asked.kind === 'fault' && asked.field === field;
    writeAttribute(this.#tokens, 'aria-invalid', isFault('tokens') ? 'true' : null);
    writeAttribute(this.#ttft, 'aria-invalid', isFault('ttft') ? 'true' : null);
  }
}
