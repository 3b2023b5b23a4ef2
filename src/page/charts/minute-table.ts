import { element } from '../dom/element.ts';
import { sizeTo, writeText } from '../dom/write.ts';
import { extentOf, minutesOf } from '../state/minutes.ts';
import type { Timeline } from '../state/timeline.ts';
import { NO_FIGURE } from '../text/format.ts';
import { timeOfDay } from '../text/time.ts';
import type { ChartSpec } from './chart-specs.ts';

/** A chart as a table: the mean of every minute, the newest first. */
export class MinuteTable {
  readonly node: HTMLElement;
  readonly #spec: ChartSpec;
  readonly #body = element('tbody');

  constructor(spec: ChartSpec) {
    this.#spec = spec;
    const heads = ['Minute to', ...spec.lines.map(({ label }) => label)];
    const head = element(
      'tr',
      {},
      heads.map((text, index) =>
        element('th', { text, class: index > 0 ? 'number' : '', attributes: { scope: 'col' } }),
      ),
    );
    const caption = element('caption', {
      class: 'visually-hidden',
      text: `${spec.title}, ${spec.about}: mean of each minute`,
    });
    this.node = element(
      'div',
      {
        class: 'scroller chart-table',
        attributes: { role: 'group', tabindex: '0', 'aria-label': `${spec.title} as a table` },
      },
      [element('table', {}, [caption, element('thead', {}, [head]), this.#body])],
    );
  }

  write(timeline: Timeline): void {
    const minutes = minutesOf(timeline.times);
    sizeTo(this.#body, minutes.length, () => this.#newRow());
    minutes.forEach(({ time, from, to }, index) => {
      const cells = this.#body.children[index]?.children;
      if (cells?.[0] !== undefined) writeText(cells[0], timeOfDay(time * 1_000).slice(0, 5));
      this.#spec.lines.forEach(({ series }, line) => {
        const mean = extentOf(timeline.column(series), from, to)?.mean ?? null;
        const cell = cells?.[line + 1];
        if (cell !== undefined) writeText(cell, mean === null ? NO_FIGURE : this.#spec.text(mean));
      });
    });
  }

  #newRow(): HTMLTableRowElement {
    const cells = this.#spec.lines.map(() => element('td', { class: 'number' }));
    return element('tr', {}, [element('th', { attributes: { scope: 'row' } }), ...cells]);
  }
}
