import { element } from './element.ts';

/** What a select offers: rewritten only when that changes, for else an open list would close under its reader. */
export class Choice {
  readonly #select: HTMLSelectElement;
  #offered = '';

  constructor(select: HTMLSelectElement, chosen: (value: string) => void) {
    this.#select = select;
    select.addEventListener('change', () => chosen(select.value));
  }

  /** `all`: what the first, empty choice is called; null: there is none. */
  write({ values, current, all }: { values: readonly string[]; current: string; all: string | null }): void {
    const offered = JSON.stringify([values, all]);
    if (offered !== this.#offered) {
      this.#offered = offered;
      const first = all === null ? [] : [element('option', { text: all, attributes: { value: '' } })];
      this.#select.replaceChildren(
        ...first,
        ...values.map((value) => element('option', { text: value, attributes: { value } })),
      );
    }
    if (this.#select.value !== current) this.#select.value = current;
  }
}
