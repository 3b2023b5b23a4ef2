import { element } from '../dom/element.ts';
import { StateIcon } from '../dom/state-icon.ts';
import { show, sizeTo, writeAttribute, writeText } from '../dom/write.ts';
import type { Column, Look } from './column.ts';

/** Rows of one table's body. They stay where they are, and what they say changes: a thousand requests a second would else be a thousand new nodes. */
export class Rows<Row> {
  readonly #columns: readonly Column<Row>[];
  readonly #body: HTMLTableSectionElement;
  readonly #painted: CellPainter[][] = [];

  constructor(columns: readonly Column<Row>[], body: HTMLTableSectionElement) {
    this.#columns = columns;
    this.#body = body;
  }

  /** `rows` in the order in which they are shown. */
  write(rows: readonly Row[]): void {
    this.#painted.length = Math.min(this.#painted.length, rows.length);
    sizeTo(this.#body, rows.length, () => this.#newRow());
    rows.forEach((row, index) => {
      const cells = this.#painted[index] ?? [];
      this.#columns.forEach((column, at) => {
        cells[at]?.paint(column.text(row), column.look?.(row) ?? {});
      });
    });
  }

  #newRow(): HTMLTableRowElement {
    const cells = this.#columns.map((column, index) => new CellPainter(column, index === 0));
    this.#painted.push(cells);
    return element(
      'tr',
      {},
      cells.map(({ cell }) => cell),
    );
  }
}

/** One cell: its text, and what stands before it. */
class CellPainter {
  readonly cell: HTMLTableCellElement;
  readonly #text = element('span', { class: 'cell-text' });
  #icon: StateIcon | null = null;
  #bar: HTMLElement | null = null;

  /** The first cell of a row names it. */
  constructor(column: Pick<Column<never>, 'isNumber' | 'shownFrom'>, isHead: boolean) {
    this.cell = element(isHead ? 'th' : 'td', { attributes: isHead ? { scope: 'row' } : {} });
    this.cell.classList.toggle('number', column.isNumber === true);
    if (column.shownFrom !== undefined) this.cell.classList.add(`from-${column.shownFrom}`);
    this.cell.append(this.#text);
  }

  paint(text: string, look: Look): void {
    writeText(this.#text, text);
    // What is cut off can still be read.
    writeAttribute(this.#text, 'title', text.length > 16 ? text : null);
    writeAttribute(this.cell, 'data-tone', look.tone ?? null);
    writeAttribute(this.cell, 'data-phase', look.phase ?? null);
    if (look.icon !== undefined) this.#drawIcon(look);
    // The row before may have had a bar.
    if (look.share !== undefined || this.#bar !== null) this.#drawBar(look.share ?? null);
  }

  #drawIcon({ icon }: Look): void {
    if (this.#icon === null) {
      this.#icon = new StateIcon();
      this.cell.prepend(this.#icon.node);
    }
    if (icon !== undefined) this.#icon.draw(icon);
  }

  #drawBar(share: number | null): void {
    this.#bar ??= this.#newBar();
    show(this.#bar, share !== null);
    const part = Math.round(Math.min(1, Math.max(0, share ?? 0)) * 100);
    this.#bar.style.setProperty('--share', `${part}%`);
  }

  #newBar(): HTMLElement {
    const bar = element('span', { class: 'share-bar', attributes: { 'aria-hidden': 'true' } });
    this.cell.append(bar);
    return bar;
  }
}
