/** Values to pixels: `at` gives the position, `ticks` the values worth a line. */
export interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

export interface Extent {
  readonly least: number;
  readonly most: number;
  readonly from: number;
  readonly to: number;
  /** About so many lines. */
  readonly lines: number;
}

/** From the least to the next round value over the most, in steps of 1, 2, 2.5 or 5. */
export function linearScale({ least, most, from, to, lines }: Extent): Scale {
  const span = most > least ? most - least : 1;
  const step = roundStep(span / lines);
  const top = least + Math.ceil(span / step - 1e-9) * step;
  const count = Math.round((top - least) / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((least + index * step).toPrecision(12)));
  return { at: (value) => from + ((value - least) / (top - least)) * (to - from), ticks };
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough - 1e-12) ?? 10;
  return factor * power;
}

/** Whole powers of ten around the values; what is not above zero lies at the bottom. */
export function logScale({ least, most, from, to }: Extent): Scale {
  const bottom = Math.floor(Math.log10(Math.max(least, 1e-9)));
  const top = Math.max(bottom + 1, Math.ceil(Math.log10(Math.max(most, 1e-9))));
  const ticks = Array.from({ length: top - bottom + 1 }, (_, index) => 10 ** (bottom + index));
  const at = (value: number) => {
    const share = (Math.log10(Math.max(value, 10 ** bottom)) - bottom) / (top - bottom);
    return from + share * (to - from);
  };
  return { at, ticks };
}
