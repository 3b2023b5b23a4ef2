import { readView, type View, writeView } from './view-query.ts';

/** The view, and the address that says the same. A change replaces the address: going back leaves the page, as one expects. */
export class ViewState {
  #view: View;
  readonly #listeners: (() => void)[] = [];

  constructor() {
    this.#view = readView(location.search);
    window.addEventListener('popstate', () => this.#become(readView(location.search)));
  }

  get view(): View {
    return this.#view;
  }

  change(part: Partial<View>): void {
    const view = { ...this.#view, ...part };
    history.replaceState(null, '', `${location.pathname}${writeView(view)}`);
    this.#become(view);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #become(view: View): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}
