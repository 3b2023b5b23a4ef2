import type { Snapshot } from '../../live/snapshot-type.ts';
import { Choice } from '../dom/choice.ts';
import { byId } from '../dom/element.ts';
import { show } from '../dom/write.ts';
import { choices } from '../state/filter.ts';
import type { ViewState } from '../state/view-state.ts';

/** Which upstream and which model the tables are about. */
export class Filters {
  readonly #state: ViewState;
  readonly #upstream: Choice;
  readonly #model: Choice;
  readonly #clear = byId('filter-clear', HTMLButtonElement);

  constructor(state: ViewState) {
    this.#state = state;
    this.#upstream = new Choice(byId('filter-upstream', HTMLSelectElement), (value) => {
      state.change({ upstream: value === '' ? null : value });
    });
    this.#model = new Choice(byId('filter-model', HTMLSelectElement), (value) => {
      state.change({ model: value === '' ? null : value });
    });
    this.#clear.addEventListener('click', () => state.change({ upstream: null, model: null }));
  }

  write(snapshot: Snapshot): void {
    const { upstream, model } = this.#state.view;
    const { upstreams, models } = choices(snapshot, this.#state.view);
    this.#upstream.write({ values: upstreams, current: upstream ?? '', all: 'All upstreams' });
    this.#model.write({ values: models, current: model ?? '', all: 'All models' });
    show(this.#clear, upstream !== null || model !== null);
  }
}
