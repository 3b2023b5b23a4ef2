import type uPlot from 'uplot';
import { CHART_FONT, type Palette } from './palette.ts';
import type { Target } from './scale.ts';

/** Draws what an SLO asks for as a dashed line with its name, over the lines of a chart. */
export function drawTargets(plot: uPlot, targets: readonly Target[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = palette.colour('target');
  ctx.fillStyle = palette.colour('target');
  ctx.lineWidth = ratio;
  ctx.setLineDash([5 * ratio, 4 * ratio]);
  ctx.font = CHART_FONT.replace('11px', `${11 * ratio}px`);
  ctx.textAlign = 'left';
  for (const { value, label } of targets) {
    const y = Math.round(plot.valToPos(value, 'y', true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const isRoomAbove = y - bbox.top > 16 * ratio;
    ctx.textBaseline = isRoomAbove ? 'bottom' : 'top';
    halo(ctx, palette.colour('surface'), () => {
      ctx.strokeText(label, bbox.left + 6 * ratio, y + (isRoomAbove ? -3 : 3) * ratio);
    });
    ctx.fillText(label, bbox.left + 6 * ratio, y + (isRoomAbove ? -3 : 3) * ratio);
  }
  ctx.restore();
}

/** Keeps words readable over lines. */
function halo(ctx: CanvasRenderingContext2D, colour: string, draw: () => void): void {
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = colour;
  ctx.lineJoin = 'round';
  ctx.lineWidth = 4 * devicePixelRatio;
  draw();
  ctx.restore();
}
