export interface Target {
  value: number;
  label: string;
}

/** A target far above all that was measured would press the lines flat; it is then told in words only. */
const FURTHEST_TARGET = 3;
const HEADROOM = 1.12;
/** Of an axis on which nothing was measured. */
const NO_MEASURE = 1;

/** Steps that can be told with one decimal. */
export const AXIS_STEPS: readonly number[] = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
);

/** From zero, so that half the height is half the amount. */
export function verticalRange(high: number | null, targets: readonly Target[]): [number, number] {
  const measured = high ?? 0;
  const shown = targets.filter(({ value }) => isShown(value, measured)).map(({ value }) => value);
  const top = Math.max(measured, ...shown);
  return [0, top > 0 ? top * HEADROOM : NO_MEASURE];
}

/** An axis without a measure says only where zero is. */
export function axisTexts(splits: readonly number[], top: number, text: (value: number) => string): string[] {
  return splits.map((value) => (top === NO_MEASURE && value > 0 ? '' : text(value).replace(/\.0$/, '')));
}

export function isShown(target: number, measured: number): boolean {
  return measured > 0 && target <= measured * FURTHEST_TARGET;
}
