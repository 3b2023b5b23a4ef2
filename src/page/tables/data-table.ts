import { element } from '../dom/element.ts';
import { show, writeText } from '../dom/write.ts';
import { sorted } from '../state/sort.ts';
import type { TableName } from '../state/view-query.ts';
import type { ViewState } from '../state/view-state.ts';
import { whole } from '../text/format.ts';
import type { Column } from './column.ts';
import type { Extent } from './extent.ts';
import { Rows } from './rows.ts';
import { SortHeads } from './sort-heads.ts';

export interface DataTableParts<Row> {
  name: TableName;
  /** Where it stands: a section of index.html with a heading. */
  section: HTMLElement;
  columns: readonly Column<Row>[];
  state: ViewState;
  /** Rows before anybody asks for more. */
  firstRows: number;
  /** Instead of rows where there are none. */
  empty: string;
}

/** What is asked for beyond the first rows comes in these steps: no table grows faster than its reader. */
const MORE_ROWS = 50;

/** A table that sorts by its heads, and shows as many rows as can be read. */
export class DataTable<Row> {
  readonly #parts: DataTableParts<Row>;
  readonly #heads: SortHeads;
  readonly #rows: Rows<Row>;
  readonly #scroller: HTMLElement;
  readonly #empty: HTMLElement;
  readonly #count = element('p', { class: 'shown-count' });
  readonly #more = element('button', { class: 'quiet-button', text: 'Show more', attributes: { type: 'button' } });
  #all: readonly Row[] = [];
  #extent: Extent = { total: 0 };
  #limit: number;

  constructor(parts: DataTableParts<Row>) {
    const { name, section, columns, state } = parts;
    this.#parts = parts;
    this.#limit = parts.firstRows;
    this.#heads = new SortHeads({
      columns,
      current: () => this.#sort(),
      choose: (sort) => state.change({ sorts: { ...state.view.sorts, [name]: sort } }),
    });
    const body = element('tbody');
    this.#rows = new Rows(columns, body);
    this.#scroller = scrollerOf(section, [element('thead', {}, [this.#heads.row]), body]);
    this.#empty = element('p', { class: 'empty', text: parts.empty });
    this.#more.addEventListener('click', () => {
      this.#limit += MORE_ROWS;
      this.redraw();
    });
    section.append(this.#scroller, this.#empty, element('div', { class: 'table-foot' }, [this.#count, this.#more]));
  }

  /** `extent`: where not all of them are here. */
  write(rows: readonly Row[], extent: Extent = { total: rows.length }): void {
    this.#all = rows;
    this.#extent = extent;
    this.redraw();
  }

  redraw(): void {
    const sort = this.#sort();
    const column = this.#parts.columns.find(({ key }) => key === sort.key);
    const ordered = column === undefined ? this.#all : sorted(this.#all, column.sortBy, sort.isDescending);
    const shown = ordered.slice(0, this.#limit);
    this.#heads.write(sort);
    this.#rows.write(shown);
    show(this.#scroller, shown.length > 0);
    show(this.#empty, shown.length === 0);
    const { total, remark = '', empty = this.#parts.empty } = this.#extent;
    writeText(this.#empty, empty);
    show(this.#count, shown.length < total || remark !== '');
    show(this.#more, shown.length < this.#all.length);
    writeText(this.#count, `${whole(shown.length)} of ${whole(total)}${remark}`);
  }

  #sort() {
    return this.#parts.state.view.sorts[this.#parts.name];
  }
}

/** Wide tables scroll by themselves, by keyboard too, and the page does not. */
function scrollerOf(section: HTMLElement, parts: readonly Node[]): HTMLElement {
  const label = section.getAttribute('aria-labelledby') ?? '';
  return element('div', { class: 'scroller', attributes: { role: 'group', tabindex: '0', 'aria-labelledby': label } }, [
    element('table', { attributes: { 'aria-labelledby': label } }, parts),
  ]);
}
