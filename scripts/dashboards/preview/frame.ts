import { DATASOURCE } from '../names.ts';
import type { Dashboard } from '../panel.ts';
import { variablesOf } from '../variables.ts';
import { type Box, cut, label, rectangle, widthOf } from './svg.ts';
import { FONT, THEME } from './theme.ts';

export const WIDTH = 1600;
export const TOP = 104;
const TITLE_SIZE = 13.5;
const TITLE_HEIGHT = 32;

/** The bar above the panels: title, question, filters. */
export function bar(dashboard: Dashboard): string {
  const filters = [['Data source', DATASOURCE.name], ...variablesOf(dashboard).map((one) => [one.label, 'All'])];
  let x = 16;
  const chips = filters.map(([name = '', value = '']) => {
    const width = widthOf(name, 12) + widthOf(value, 12) + 34;
    const drawn =
      rectangle({ x, y: 60, w: width, h: 28 }, `rx="3" fill="${THEME.panel}" stroke="${THEME.border}"`) +
      label({ x: x + 10, y: 78 }, name, { size: 12, fill: '#8ab8ff' }) +
      label({ x: x + width - 10, y: 78 }, value, { size: 12, anchor: 'end' });
    x += width + 10;
    return drawn;
  });
  return (
    label({ x: 16, y: 34 }, dashboard.title, { size: 20, fill: THEME.title, weight: 600 }) +
    label({ x: 16 + widthOf(dashboard.title, 20) + 30, y: 34 }, dashboard.description, {
      size: 14,
      fill: THEME.quiet,
    }) +
    chips.join('') +
    label({ x: WIDTH - 16, y: 78 }, 'pitot demo · a simulated engine · drawn from recorded queries', {
      size: 12,
      fill: THEME.quiet,
      anchor: 'end',
    })
  );
}

/** The frame of a panel and its title. */
export function panelFrame(box: Box, title: string): string {
  return (
    rectangle(box, `rx="3" fill="${THEME.panel}" stroke="${THEME.border}"`) +
    label({ x: box.x + 12, y: box.y + 21 }, cut(title, TITLE_SIZE, box.w - 20), {
      size: TITLE_SIZE,
      fill: THEME.title,
      weight: 500,
    })
  );
}

/** What is left of a panel for its drawing. */
export function insideOf(box: Box): Box {
  return { x: box.x, y: box.y + TITLE_HEIGHT, w: box.w, h: box.h - TITLE_HEIGHT - 4 };
}

export function heading(at: { x: number; y: number }, title: string): string {
  return label({ x: at.x + 4, y: at.y + 21 }, `⌄  ${title}`, { size: 15, fill: THEME.title, weight: 500 });
}

export function picture(height: number, title: string, drawn: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="${FONT}" role="img">`,
    `<title>${title}</title>`,
    rectangle({ x: 0, y: 0, w: WIDTH, h: height }, `fill="${THEME.page}"`),
    drawn,
    '</svg>\n',
  ].join('\n');
}
