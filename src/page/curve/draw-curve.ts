import type uPlot from 'uplot';
import { CHART_FONT, type Palette } from '../charts/palette.ts';
import { drawTargets } from '../charts/target-lines.ts';
import { rate } from '../text/format.ts';
import type { CurvePoint } from './curve-points.ts';
import type { CurveScene } from './curve-scene.ts';

interface Drawing {
  plot: uPlot;
  scene: CurveScene;
  palette: Palette;
}

/** The picture, back to front: what the SLO asks, how windows spread, the way from point to point, the points, and now. */
export function drawCurve(drawing: Drawing): void {
  const { plot, scene, palette } = drawing;
  plot.ctx.save();
  if (scene.leastSpeed !== null) {
    const label = `SLO: at least ${rate(scene.leastSpeed)} per user`;
    drawTargets(plot, [{ value: scene.leastSpeed, label }], palette);
  }
  drawSpreads(drawing);
  drawWay(drawing);
  let labelled: Label | null = null;
  for (const point of scene.points) labelled = drawPoint(drawing, point, labelled);
  drawNow(drawing);
  plot.ctx.restore();
}

function place(plot: uPlot, throughput: number, speed: number): [number, number] {
  return [plot.valToPos(throughput, 'x', true), plot.valToPos(speed, 'y', true)];
}

function drawSpreads({ plot, scene, palette }: Drawing): void {
  const { ctx } = plot;
  ctx.strokeStyle = palette.colour('grid');
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const point of scene.points) {
    ctx.beginPath();
    ctx.moveTo(...place(plot, point.throughputLow, point.speed));
    ctx.lineTo(...place(plot, point.throughputHigh, point.speed));
    ctx.moveTo(...place(plot, point.throughput, point.speed));
    ctx.lineTo(...place(plot, point.throughput, point.speedLow));
    ctx.stroke();
  }
}

function drawWay({ plot, scene, palette }: Drawing): void {
  const { ctx } = plot;
  ctx.strokeStyle = palette.colour('speed');
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  scene.points.forEach(({ throughput, speed }, index) => {
    const at = place(plot, throughput, speed);
    if (index === 0) ctx.moveTo(...at);
    else ctx.lineTo(...at);
  });
  ctx.stroke();
}

/** Where a point's concurrency was written. */
interface Label {
  x: number;
  y: number;
  isAbove: boolean;
}

/** Nearer to each other, two labels would run into one number. */
const LABEL_WIDTH_PX = 24;

/** Filled where enough was observed, hollow where not; the max-under-SLO point is a diamond. */
function drawPoint({ plot, scene, palette }: Drawing, point: CurvePoint, before: Label | null): Label {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const [x, y] = place(plot, point.throughput, point.speed);
  const isMax = point.concurrency === scene.maxConcurrency;
  const radius = (isMax ? 8 : 4.5) * ratio;
  ctx.beginPath();
  if (isMax) diamond(ctx, { x, y, radius });
  else ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = palette.colour(isMax ? 'target' : point.isFirm ? 'speed' : 'surface');
  ctx.strokeStyle = palette.colour(isMax ? 'surface' : 'speed');
  ctx.lineWidth = 1.5 * ratio;
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = palette.colour(isMax ? 'ink' : 'muted');
  ctx.font = `${isMax ? 'bold ' : ''}${CHART_FONT.replace('11px', `${11 * ratio}px`)}`;
  ctx.textAlign = 'center';
  const isNear = before !== null && Math.hypot(x - before.x, y - before.y) < LABEL_WIDTH_PX * ratio;
  const isAbove = !(isNear && before.isAbove);
  ctx.textBaseline = isAbove ? 'bottom' : 'top';
  ctx.fillText(String(point.concurrency), x, y + (isAbove ? -1 : 1) * (radius + 3 * ratio));
  return { x, y, isAbove };
}

function diamond(ctx: CanvasRenderingContext2D, { x, y, radius }: { x: number; y: number; radius: number }): void {
  ctx.moveTo(x, y - radius);
  ctx.lineTo(x + radius, y);
  ctx.lineTo(x, y + radius);
  ctx.lineTo(x - radius, y);
  ctx.closePath();
}

function drawNow({ plot, scene, palette }: Drawing): void {
  if (scene.now === null) return;
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const [x, y] = place(plot, scene.now.throughput, scene.now.speed);
  ctx.strokeStyle = palette.colour('throughput');
  ctx.fillStyle = palette.colour('throughput');
  ctx.lineWidth = 2 * ratio;
  ctx.beginPath();
  ctx.arc(x, y, 9 * ratio, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.font = `bold ${CHART_FONT.replace('11px', `${11 * ratio}px`)}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.fillText('now', x + 10 * ratio, y + 6 * ratio);
}
