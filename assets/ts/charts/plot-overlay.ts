import type { DrawnLine, Frame } from "./frame";
import type { Marked } from "./gestures";
import { inkOf, palette } from "./palette";
import { drawBand, drawLine } from "./plot";
import { toPixel } from "./scale";

/** Of more lines only those that stand out have a dot at the cursor. */
const MOST_DOTS = 14;
const STRONG_WIDTH = 2.5;
const STRONG_BAND = 0.16;

/** What lies above a plot. */
export interface Overlay {
  /** Of the cursor. */
  x: number | null;
  /** The point of each line at the cursor; -1 where it has none. */
  places: readonly number[];
  /** Lines that stand out; the others step back. */
  strong: readonly DrawnLine[];
  /** What a drag has chosen. */
  marked: Marked | null;
}

/** Draw the cursor, the points at it, and the lines that stand out. */
export function drawOverlay(
  ctx: CanvasRenderingContext2D,
  lines: readonly DrawnLine[],
  frame: Frame,
  { x, places, strong, marked }: Overlay,
): void {
  if (strong.length && strong.length < lines.length) drawStrong(ctx, frame, strong);
  if (x !== null) drawCursor(ctx, frame, x);
  const isMany = lines.length > MOST_DOTS;
  for (const [at, line] of lines.entries()) {
    if (isMany && !strong.includes(line)) continue;
    const place = places[at] ?? -1;
    if (place >= 0) drawDot(ctx, frame, line, place);
  }
  if (marked) drawMarked(ctx, frame, marked);
}

function drawStrong(ctx: CanvasRenderingContext2D, frame: Frame, strong: readonly DrawnLine[]): void {
  ctx.save();
  ctx.globalAlpha = 0.7;
  ctx.fillStyle = palette().surface;
  ctx.fillRect(frame.left, frame.top - 4, frame.right - frame.left + 4, frame.bottom - frame.top + 4);
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.rect(frame.left - 3, frame.top - 4, frame.right - frame.left + 7, frame.bottom - frame.top + 7);
  ctx.clip();
  for (const line of strong) drawBand(ctx, line, frame, STRONG_BAND);
  for (const line of strong) drawLine(ctx, line, frame, STRONG_WIDTH);
  ctx.restore();
}

/** A line down the plot at x. */
export function drawCursor(ctx: CanvasRenderingContext2D, frame: Frame, x: number): void {
  const left = toPixel(frame.x, x);
  if (left < frame.left - 1 || left > frame.right + 1) return;
  ctx.strokeStyle = palette().cursor;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(Math.round(left) + 0.5, frame.top);
  ctx.lineTo(Math.round(left) + 0.5, frame.bottom);
  ctx.stroke();
}

function drawDot(ctx: CanvasRenderingContext2D, frame: Frame, line: DrawnLine, at: number): void {
  const value = line.y[at] as number;
  const [left, top] = [toPixel(frame.x, line.x[at] as number), toPixel(frame.y, value)];
  if (!Number.isFinite(top) || top < frame.top - 4 || top > frame.bottom + 4) return;
  if (left < frame.left - 4 || left > frame.right + 4) return;
  ctx.fillStyle = inkOf(line.color);
  ctx.strokeStyle = palette().surface;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.arc(left, top, 4, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}

/** Shade what a drag has chosen. */
export function drawMarked(ctx: CanvasRenderingContext2D, frame: Frame, { along, from, to }: Marked): void {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const { left, right, top, bottom } = frame;
  const [x, y, width, height] =
    along === "x" ? [low, top, high - low, bottom - top] : [left, low, right - left, high - low];
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.globalAlpha = 0.1;
  ctx.fillStyle = palette().text;
  ctx.fillRect(x, y, width, height);
  ctx.globalAlpha = 0.5;
  ctx.strokeStyle = palette().text;
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  ctx.beginPath();
  for (const end of [low, high]) {
    if (along === "x") {
      ctx.moveTo(Math.round(end) + 0.5, top);
      ctx.lineTo(Math.round(end) + 0.5, bottom);
    } else {
      ctx.moveTo(left, Math.round(end) + 0.5);
      ctx.lineTo(right, Math.round(end) + 0.5);
    }
  }
  ctx.stroke();
  ctx.restore();
}

/** A frame around what lies between two pixels of y. */
export function outline(ctx: CanvasRenderingContext2D, frame: Frame, top: number, bottom: number): void {
  ctx.strokeStyle = palette().text;
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  ctx.strokeRect(frame.left - 0.5, top - 0.5, frame.right - frame.left + 1, Math.max(2, bottom - top) + 1);
}
