import { element } from '../dom/element.ts';
import { sizeTo, writeText } from '../dom/write.ts';
import { rate, whole } from '../text/format.ts';
import { duration } from '../text/time.ts';
import type { CurvePoint } from './curve-points.ts';

const COLUMNS: readonly { title: string; text: (point: CurvePoint) => string }[] = [
  { title: 'At once', text: ({ concurrency }) => whole(concurrency) },
  { title: 'Tok/s in all', text: ({ throughput }) => rate(throughput) },
  { title: 'Per user p50', text: ({ speed }) => rate(speed) },
  { title: 'Per user p5', text: ({ speedLow }) => rate(speedLow) },
  { title: 'TTFT p95', text: ({ ttftP95 }) => duration(ttftP95 === null ? null : ttftP95 * 1_000) },
  { title: 'Windows', text: ({ windows }) => whole(windows) },
];

/** The operating curve as a table. */
export class CurveTable {
  readonly node: HTMLElement;
  readonly #body = element('tbody');

  constructor() {
    const heads = COLUMNS.map(({ title }) =>
      element('th', { text: title, class: 'number', attributes: { scope: 'col' } }),
    );
    const caption = element('caption', { class: 'visually-hidden', text: 'Operating curve by concurrency' });
    this.node = element(
      'div',
      {
        class: 'scroller chart-table',
        attributes: { role: 'group', tabindex: '0', 'aria-label': 'Operating curve as a table' },
      },
      [element('table', {}, [caption, element('thead', {}, [element('tr', {}, heads)]), this.#body])],
    );
  }

  write(points: readonly CurvePoint[]): void {
    sizeTo(this.#body, points.length, () =>
      element(
        'tr',
        {},
        COLUMNS.map((_, index) =>
          index === 0
            ? element('th', { class: 'number', attributes: { scope: 'row' } })
            : element('td', { class: 'number' }),
        ),
      ),
    );
    points.forEach((point, row) => {
      const cells = this.#body.children[row]?.children;
      COLUMNS.forEach(({ text }, column) => {
        const cell = cells?.[column];
        if (cell !== undefined) writeText(cell, text(point));
      });
    });
  }
}
