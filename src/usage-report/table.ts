/** A column of text: numbers stand at the right, names at the left. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cells: readonly string[];
}

const GAP = '  ';
/** Written over two columns of a terminal, as far as one can tell without asking it. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const COMBINING = /\p{M}/u;

/** Lines of a table; a rule stands over its last row where `hasSum`. No line ends in spaces. */
export function tableLines(columns: readonly Column[], hasSum: boolean): string[] {
  const widths = columns.map(({ title, cells }) => Math.max(...[title, ...cells].map(widthOf)));
  const line = (textOf: (column: Column) => string) =>
    columns
      .map((column, index) => padded(textOf(column), widths[index] ?? 0, column.align))
      .join(GAP)
      .trimEnd();
  const rowCount = columns[0]?.cells.length ?? 0;
  const lines = [line(({ title }) => title)];
  for (let row = 0; row < rowCount; row += 1) {
    if (hasSum && row === rowCount - 1)
      lines.push('─'.repeat(widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length)));
    lines.push(line(({ cells }) => cells[row] ?? ''));
  }
  return lines;
}

function padded(text: string, width: number, align: Column['align']): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + room : room + text;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : COMBINING.test(character) ? 0 : 1;
  return width;
}
