/** Stands where nothing was measured; a reader's eye takes it for "no figure", never for zero. */
export const NO_FIGURE = '–';

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const ONE_DECIMAL = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const TWO_DECIMALS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A count, with thousands parted. */
export function whole(value: number | null): string {
  return isFigure(value) ? GROUPED.format(value) : NO_FIGURE;
}

/** Tokens per second: quantiles are known to a few percent, so below 100 one decimal and above none. What is little is not said to be nothing. */
export function rate(value: number | null): string {
  if (!isFigure(value)) return NO_FIGURE;
  if (value > 0 && value < 0.05) return '<0.1';
  return Math.abs(value) < 99.95 ? ONE_DECIMAL.format(value) : GROUPED.format(value);
}

/** A large total in few characters: 950, 12.3 k, 4.56 M, 7.80 G. */
export function short(value: number | null): string {
  if (!isFigure(value)) return NO_FIGURE;
  const step = SHORT_STEPS.find(({ from }) => Math.abs(value) >= from);
  if (step === undefined) return GROUPED.format(value);
  const scaled = value / step.unit;
  const text = Math.abs(scaled) < 9.995 ? TWO_DECIMALS.format(scaled) : rate(scaled);
  return `${text} ${step.name}`;
}

const SHORT_STEPS = [
  { from: 999.5e6, unit: 1e9, name: 'G' },
  { from: 999.5e3, unit: 1e6, name: 'M' },
  { from: 9_999.5, unit: 1e3, name: 'k' },
];

/** A share of 1. What is nearly all is not said to be all, nor what is nearly none to be none. */
export function percent(ratio: number | null): string {
  if (!isFigure(ratio)) return NO_FIGURE;
  const text = ONE_DECIMAL.format(ratio * 100);
  if (text === '0.0' && ratio > 0) return '<0.1%';
  if (text === '100.0') return ratio < 1 ? '>99.9%' : '100%';
  return `${text}%`;
}

/** Dollars, with as many decimals as their size wants. */
export function dollars(value: number | null): string {
  if (!isFigure(value)) return NO_FIGURE;
  if (value > 0 && value < 0.00005) return '<$0.0001';
  if (value > 0 && value < 0.0995) return `$${Number(value.toPrecision(2))}`;
  return value < 999.995 ? `$${TWO_DECIMALS.format(value)}` : `$${GROUPED.format(value)}`;
}

export function isFigure(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}
