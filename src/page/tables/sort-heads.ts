import { element } from '../dom/element.ts';
import { writeAttribute } from '../dom/write.ts';
import { chosen, type Sort } from '../state/sort.ts';
import type { Column } from './column.ts';

export interface SortHeadsParts {
  columns: readonly Column<never>[];
  current: () => Sort;
  choose: (sort: Sort) => void;
}

/** The heads of a table: buttons, so that a keyboard reaches them, and `aria-sort` says what they did. */
export class SortHeads {
  readonly row: HTMLTableRowElement;
  readonly #heads = new Map<string, HTMLTableCellElement>();

  constructor({ columns, current, choose }: SortHeadsParts) {
    this.row = element(
      'tr',
      {},
      columns.map((column) => {
        const head = headOf(column);
        this.#heads.set(column.key, head);
        head.firstElementChild?.addEventListener('click', () => {
          choose(chosen(current(), column.key, column.firstDescending === true));
        });
        return head;
      }),
    );
  }

  write(sort: Sort): void {
    for (const [key, head] of this.#heads) {
      const order = sort.isDescending ? 'descending' : 'ascending';
      writeAttribute(head, 'aria-sort', key === sort.key ? order : null);
    }
  }
}

function headOf(column: Column<never>): HTMLTableCellElement {
  const head = element('th', { attributes: { scope: 'col' } }, [
    element('button', {
      class: 'sort',
      text: column.title,
      attributes: { type: 'button', ...(column.explained === undefined ? {} : { title: column.explained }) },
    }),
  ]);
  head.classList.toggle('number', column.isNumber === true);
  if (column.shownFrom !== undefined) head.classList.add(`from-${column.shownFrom}`);
  return head;
}
