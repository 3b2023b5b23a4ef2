import { element } from '../dom/element.ts';
import { writeText } from '../dom/write.ts';
import type { LineSpec } from './chart-specs.ts';

/** The key of a chart, which is its display as well: what each line says now, or where the cursor stands. */
export class Readouts {
  readonly node: HTMLUListElement;
  readonly #values: HTMLElement[];

  constructor(lines: readonly LineSpec[]) {
    this.#values = lines.map(() => element('b', { class: 'readout-value' }));
    this.node = element(
      'ul',
      { class: 'readouts' },
      lines.map((line, index) =>
        element(
          'li',
          { attributes: { 'data-ink': line.ink, ...(line.isDashed === true ? { 'data-dashed': '' } : {}) } },
          [
            element('span', { class: 'swatch', attributes: { 'aria-hidden': 'true' } }),
            element('span', { text: line.label }),
            this.#values[index] ?? element('b'),
          ],
        ),
      ),
    );
  }

  write(texts: readonly string[]): void {
    this.#values.forEach((node, index) => {
      writeText(node, texts[index] ?? '');
    });
  }
}
