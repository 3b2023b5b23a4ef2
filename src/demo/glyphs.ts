/** Digits three lines high, from half blocks. */
const BIG: Readonly<Record<string, readonly [string, string, string]>> = {
  '0': ['█▀█', '█ █', '▀▀▀'],
  '1': ['▀█ ', ' █ ', '▀▀▀'],
  '2': ['▀▀█', '█▀▀', '▀▀▀'],
  '3': ['▀▀█', ' ▀█', '▀▀▀'],
  '4': ['█ █', '▀▀█', '  ▀'],
  '5': ['█▀▀', '▀▀█', '▀▀▀'],
  '6': ['█▀▀', '█▀█', '▀▀▀'],
  '7': ['▀▀█', '  █', '  ▀'],
  '8': ['█▀█', '█▀█', '▀▀▀'],
  '9': ['█▀█', '▀▀█', '▀▀▀'],
  '.': [' ', ' ', '▀'],
  ',': [' ', ' ', '▞'],
  '–': ['   ', '▀▀▀', '   '],
};

/** The three lines of a big number; characters it does not know are left out. */
export function bigText(text: string): [string, string, string] {
  const drawn = [...text].flatMap((character) => (BIG[character] === undefined ? [] : [BIG[character]]));
  return [
    drawn.map((rows) => rows[0]).join(' '),
    drawn.map((rows) => rows[1]).join(' '),
    drawn.map((rows) => rows[2]).join(' '),
  ];
}

const BARS = '▁▂▃▄▅▆▇█';

/**
 * A curve of the values in at most `width` bars of equally many values each, from 0 to the highest
 * bar, the latest at the right. A bar is the mean of its values; without any it is blank: nothing
 * was measured, which is not 0. Without any value the highest is null.
 */
export function sparkline(values: readonly (number | null)[], width: number): { bars: string; highest: number | null } {
  const valuesPerBar = Math.max(1, Math.ceil(values.length / width));
  const means: (number | null)[] = [];
  for (let end = values.length; end > 0; end -= valuesPerBar) {
    means.unshift(mean(values.slice(Math.max(0, end - valuesPerBar), end)));
  }
  const known = means.filter((value) => value !== null);
  const highest = known.length === 0 ? null : Math.max(...known);
  const bars = means.map((value) => (value === null ? ' ' : bar(value, highest ?? 0)));
  return { bars: bars.join(''), highest };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function bar(value: number, highest: number): string {
  const level = highest === 0 ? 0 : Math.round((value / highest) * (BARS.length - 1));
  return BARS[level] ?? ' ';
}
