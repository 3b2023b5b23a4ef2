import { element } from '../dom/element.ts';
import { show, writeAttribute } from '../dom/write.ts';

export interface ChartFrameParts {
  title: string;
  about: string;
  /** What stands where the plot is not. */
  table: HTMLElement;
  /** Between heading and plot. */
  beside: readonly Node[];
  toggled: () => void;
}

/** What every chart has around it: a heading, its key, a switch to the table, and a summary for who does not see the plot. */
export class ChartFrame {
  readonly node: HTMLElement;
  /** Where the plot goes. */
  readonly plot = element('div', { class: 'plot', attributes: { role: 'img' } });
  readonly #table: HTMLElement;
  readonly #switch: HTMLButtonElement;

  constructor({ title, about, table, beside, toggled }: ChartFrameParts) {
    this.#table = table;
    this.#switch = element('button', {
      class: 'quiet-button',
      text: 'Table',
      attributes: { type: 'button', 'aria-pressed': 'false', 'aria-label': `${title} as a table` },
    });
    this.#switch.addEventListener('click', toggled);
    const heading = element('h3', { text: title });
    heading.append(' ', element('small', { text: about }));
    this.node = element('figure', { class: 'chart' }, [
      element('figcaption', {}, [heading, ...beside, this.#switch]),
      this.plot,
      table,
    ]);
  }

  write({ summary, isTable }: { summary: string; isTable: boolean }): void {
    writeAttribute(this.#switch, 'aria-pressed', String(isTable));
    show(this.plot, !isTable);
    show(this.#table, isTable);
    writeAttribute(this.plot, 'aria-label', summary);
  }
}
