import { palette } from "../charts/palette";
import { plotFont } from "../charts/plot";
import { type Scale, type Tick, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { fitted } from "./axes";

/** Two axes of a plot and what is written at them; lengths in pixels. */
export interface PlotAxes {
  x: Scale;
  y: Scale;
  xTicks: readonly Tick[];
  yTicks: readonly Tick[];
  /** Left of the plot, for the texts of `y`. */
  margin: number;
  /** Between the plot and the texts of `x`. */
  gap: number;
  /** Whether lines stand at the ticks of `x`, too. */
  hasUprights: boolean;
}

/** Paint a plot's grid and the texts at its axes, `top` pixels down. */
export function paintAxes(ctx: Surface, top: number, axes: PlotAxes): void {
  const { x, y, hasUprights } = axes;
  const colors = palette();
  ctx.font = plotFont();
  ctx.strokeStyle = colors.grid;
  ctx.lineWidth = 1;
  ctx.fillStyle = colors.axis;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const { value, text } of axes.yTicks) {
    const at = onPixel(toPixel(y, value) + top);
    line(ctx, x.from, at, x.to, at);
    ctx.fillText(fitted(text, axes.margin - 8), x.from - 6, at);
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const bottom = y.from + top;
  for (const { value, text } of axes.xTicks) {
    const at = hasUprights ? onPixel(toPixel(x, value)) : toPixel(x, value);
    if (hasUprights) line(ctx, at, y.to + top, at, bottom);
    ctx.fillText(fitted(text, 70), at, bottom + axes.gap);
  }
}

function line(ctx: Surface, fromX: number, fromY: number, toX: number, toY: number): void {
  ctx.beginPath();
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

/** The middle of a pixel, where a thin line is sharp. */
function onPixel(at: number): number {
  return Math.round(at) + 0.5;
}
