import type { Dashboard, Panel } from './panel.ts';

export const COLUMNS = 24;
const HEADING_HEIGHT = 1;

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export type Placed =
  | { readonly kind: 'heading'; readonly id: number; readonly title: string; readonly place: Place }
  | { readonly kind: 'panel'; readonly id: number; readonly panel: Panel; readonly place: Place };

/** Panels from left to right, a new line where one does not fit; ids count from 1 in that order. */
export function placed({ rows }: Dashboard): Placed[] {
  const all: Placed[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    if (title !== null) {
      const place = { x: 0, y, w: COLUMNS, h: HEADING_HEIGHT };
      all.push({ kind: 'heading', id: all.length + 1, title, place });
      y += HEADING_HEIGHT;
    }
    for (const line of linesOf(panels)) {
      let x = 0;
      for (const panel of line) {
        all.push({ kind: 'panel', id: all.length + 1, panel, place: { x, y, w: panel.width, h: panel.height } });
        x += panel.width;
      }
      y += Math.max(...line.map(({ height }) => height));
    }
  }
  return all;
}

function linesOf(panels: readonly Panel[]): Panel[][] {
  const lines: Panel[][] = [];
  let room = 0;
  for (const panel of panels) {
    const line = lines.at(-1);
    if (line === undefined || panel.width > room) {
      lines.push([panel]);
      room = COLUMNS - panel.width;
    } else {
      line.push(panel);
      room -= panel.width;
    }
  }
  return lines;
}
