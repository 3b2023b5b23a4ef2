/** Colours of Grafana's dark theme and its classic palette. */
export const THEME = {
  page: '#111217',
  panel: '#181b1f',
  border: '#2a2d33',
  grid: '#26292f',
  text: '#d5d6df',
  quiet: '#8d8f9b',
  title: '#e6e7ee',
} as const;

const SERIES = [
  '#73bf69',
  '#5794f2',
  '#f2cc0c',
  '#ff9830',
  '#b877d9',
  '#8ab8ff',
  '#f2495c',
  '#56d1c1',
  '#fade2a',
  '#ca95e5',
] as const;

/** Names of the panels' steps. */
export const NAMED = {
  green: '#73bf69',
  orange: '#ff9830',
  red: '#f2495c',
  blue: '#8ab8ff',
  text: '#d5d6df',
} as const;

export const FONT = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

export function colour(index: number): string {
  return SERIES[index % SERIES.length] ?? THEME.text;
}
