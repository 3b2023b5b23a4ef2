import { THEME } from './theme.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface TextLook {
  readonly size?: number;
  readonly fill?: string;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** Mean width of a letter of the sans-serif fonts, in parts of its size: for cutting, not for placing. */
const LETTER = 0.53;

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function widthOf(text: string, size: number): number {
  return text.length * size * LETTER;
}

/** The text, cut with an ellipsis where it would be wider. */
export function cut(text: string, size: number, width: number): string {
  const letters = Math.floor(width / (size * LETTER));
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1)).trimEnd()}…`;
}

export function label(at: { x: number; y: number }, text: string, look: TextLook = {}): string {
  const { size = 12, fill = THEME.text, weight = 400, anchor = 'start' } = look;
  const attributes = [
    `x="${round(at.x)}" y="${round(at.y)}" font-size="${round(size)}" fill="${fill}"`,
    weight === 400 ? '' : ` font-weight="${weight}"`,
    anchor === 'start' ? '' : ` text-anchor="${anchor}"`,
  ];
  return `<text ${attributes.join('')}>${escaped(text)}</text>`;
}

export function rectangle({ x, y, w, h }: Box, attributes: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" ${attributes}/>`;
}

export function line(from: { x: number; y: number }, to: { x: number; y: number }, attributes: string): string {
  return `<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}" ${attributes}/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
