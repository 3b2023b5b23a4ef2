import { describe, expect, it } from 'vitest';
import { placed } from '../../../scripts/dashboards/layout.ts';
import type { Dashboard, Panel } from '../../../scripts/dashboards/panel.ts';

function panel(title: string, width: number, height: number): Panel {
  const said = { unit: 'seconds', formula: '', description: '', whenBad: '', queries: [] } as const;
  return { kind: 'timeseries', title, width, height, ...said };
}

function places(rows: Dashboard['rows']): unknown[] {
  const dashboard: Dashboard = { uid: 'pitot-slo', title: '', description: '', rows };
  return placed(dashboard).map((one) => {
    const { x, y, w, h } = one.place;
    return [one.id, one.kind === 'heading' ? one.title : one.panel.title, x, y, w, h];
  });
}

describe('panels are placed', () => {
  it('from left to right, in a new line where one does not fit, below the highest of the line', () => {
    const panels = [panel('a', 12, 4), panel('b', 12, 6), panel('c', 8, 5)];
    expect(places([{ title: null, panels }])).toEqual([
      [1, 'a', 0, 0, 12, 4],
      [2, 'b', 12, 0, 12, 6],
      [3, 'c', 0, 6, 8, 5],
    ]);
  });

  it('below the heading of their row, which takes a line of its own', () => {
    const rows = [
      { title: null, panels: [panel('a', 24, 4)] },
      { title: 'Speed', panels: [panel('b', 24, 4)] },
    ];
    expect(places(rows)).toEqual([
      [1, 'a', 0, 0, 24, 4],
      [2, 'Speed', 0, 4, 24, 1],
      [3, 'b', 0, 5, 24, 4],
    ]);
  });
});
