import { byId, element } from '../dom/element.ts';
import { show, sizeTo, writeAttribute, writeText } from '../dom/write.ts';
import type { Headline } from './headline.ts';

/** Writes one of the two big numbers. */
export class HeadlineView {
  readonly #value: HTMLElement;
  readonly #unit: HTMLElement;
  readonly #beside: HTMLElement;
  readonly #besideValue: HTMLElement;
  readonly #besideLabel: HTMLElement;
  readonly #notes: HTMLElement;
  readonly #estimated: HTMLElement;
  readonly #mark: HTMLElement;

  /** `name`: the elements of index.html are called NAME-value, NAME-unit and so on. */
  constructor(name: string) {
    this.#value = byId(`${name}-value`, HTMLElement);
    this.#unit = byId(`${name}-unit`, HTMLElement);
    this.#beside = byId(`${name}-beside`, HTMLElement);
    this.#besideValue = byId(`${name}-beside-value`, HTMLElement);
    this.#besideLabel = byId(`${name}-beside-label`, HTMLElement);
    this.#notes = byId(`${name}-notes`, HTMLElement);
    this.#estimated = byId(`${name}-estimated`, HTMLElement);
    this.#mark = byId(`${name}-mark`, HTMLElement);
  }

  write({ value, absence, beside, notes, estimated }: Headline): void {
    writeText(this.#value, value ?? absence);
    writeAttribute(this.#value, 'data-absent', value === null ? '' : null);
    show(this.#unit, value !== null);
    show(this.#beside, beside !== null);
    writeText(this.#besideValue, beside?.value ?? '');
    writeText(this.#besideLabel, beside?.label ?? '');
    sizeTo(this.#notes, notes.length, () => element('li'));
    notes.forEach((note, index) => {
      const item = this.#notes.children[index];
      if (item !== undefined) writeText(item, note);
    });
    const isEstimated = estimated !== null && value !== null;
    show(this.#mark, isEstimated);
    show(this.#estimated, isEstimated);
    writeText(this.#estimated, estimated ?? '');
  }
}
