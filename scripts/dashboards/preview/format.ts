import { UNITS, type UnitName } from '../units.ts';

/** A value with its unit, about as Grafana writes it. */
export function formatted(value: number, unit: UnitName): string {
  const { grafana, decimals } = UNITS[unit];
  switch (grafana) {
    case 's':
      return seconds(value);
    case 'percentunit':
      return `${plain(value * 100, decimals ?? 0)}%`;
    case 'currencyUSD':
      return `$${value !== 0 && Math.abs(value) < 0.1 ? plain(value, 4) : value.toFixed(2)}`;
    case 'reqps':
      return `${plain(value, 1)} req/s`;
    case 'cps':
      return `${plain(value, 1)}/s`;
    case 'short':
      return short(value, decimals ?? 1);
    case 'x':
      return `${plain(value, 1)}×`;
    default:
      return `${plain(value, decimals ?? 1)} ${grafana}`;
  }
}

function plain(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function short(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e6) return `${plain(value / 1e6, 2)} Mil`;
  if (Math.abs(value) >= 1e3) return `${plain(value / 1e3, 1)} K`;
  return plain(value, decimals);
}

function seconds(value: number): string {
  if (value === 0) return '0 s';
  if (value < 1e-3) return `${plain(value * 1e6, 0)} µs`;
  if (value < 1) return `${plain(value * 1e3, value < 0.01 ? 1 : 0)} ms`;
  if (value < 120) return `${plain(value, value < 10 ? 2 : 1)} s`;
  return `${plain(value / 60, 1)} min`;
}

/** The legend of a series: `{{label}}` is the value of a label. */
export function legendOf(template: string, labels: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => labels[name] ?? '');
}
