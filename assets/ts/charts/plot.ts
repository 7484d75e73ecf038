import { type DrawnLine, dashOfLine, type Frame, isShaded, type Look, yTicksOf } from "./frame";
import { keepEnd, widthOf } from "./letters";
import { BASELINE, DASHES, inkOf, type Palette, palette } from "./palette";
import { type Axis, minorTicks, type Scale, type Tick, ticksOf, toPixel } from "./scale";
import type { Surface } from "./surface";

const LINE_WIDTH = 1.5;
/** Points farther apart than this are marked with dots, pixels. */
const DOT_SPACE = 18;
/** Between texts below an axis, pixels. */
const TEXT_GAP = 10;
let font: string | undefined;

/** The page's own faces, which differ by language. */
export function plotFont(): string {
  font ??= `11px ${getComputedStyle(document.body).fontFamily}`;
  return font;
}

/** Draw grid, axes and lines; `strong` names a line that stands out, the others then fade. */
export function drawPlot(ctx: Surface, lines: readonly DrawnLine[], look: Look, frame: Frame): void {
  const colors = palette();
  drawAxes(ctx, frame, look, colors);
  ctx.save();
  ctx.beginPath();
  ctx.rect(frame.left - 3, frame.top - 4, frame.right - frame.left + 7, frame.bottom - frame.top + 7);
  ctx.clip();
  const bandAlpha = Math.max(0.05, 0.17 / Math.sqrt(Math.max(1, lines.length)));
  for (const line of lines) if (isShaded(line, lines.length)) drawBand(ctx, line, frame, bandAlpha);
  for (const line of lines) drawRaw(ctx, line, frame);
  for (const line of lines) drawLine(ctx, line, frame, line.width ?? LINE_WIDTH);
  drawOdd(ctx, lines, frame, colors);
  ctx.restore();
}

function drawAxes(ctx: Surface, frame: Frame, look: Look, colors: Palette): void {
  ctx.font = plotFont();
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  ctx.strokeStyle = colors.grid;
  ctx.globalAlpha = 0.5;
  for (const value of minorTicks(frame.y)) across(ctx, frame, Math.round(toPixel(frame.y, value)) + 0.5);
  ctx.globalAlpha = 1;
  ctx.fillStyle = colors.axis;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const { value, text } of yTicksOf(frame.y, look.unit)) {
    const y = Math.round(toPixel(frame.y, value)) + 0.5;
    across(ctx, frame, y);
    ctx.fillText(text, frame.left - 6, y);
  }
  drawBelow(ctx, frame, look, colors);
  if (!look.yName) return;
  ctx.fillStyle = colors.axis;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(keepEnd(look.yName, frame.right - 8), 8, frame.top - 15);
}

function across(ctx: Surface, frame: Frame, y: number): void {
  ctx.beginPath();
  ctx.moveTo(frame.left, y);
  ctx.lineTo(frame.right, y);
  ctx.stroke();
}

/** Write the ticks of x, and what x is at its end, in place of the ticks that would stand there. */
export function drawBelow(ctx: Surface, frame: Frame, look: Look, colors: Palette): void {
  const name = look.xName ? keepEnd(look.xName, (frame.right - frame.left) / 2) : "";
  const end = name ? frame.right + 6 - widthOf(name) - TEXT_GAP : frame.right + TEXT_GAP;
  ctx.fillStyle = colors.axis;
  ctx.textBaseline = "top";
  let before = -Infinity;
  for (const { value, text } of apart(frame.x, look.axis)) {
    const width = widthOf(text);
    const x = toPixel(frame.x, value) - width / 2;
    const left = Math.max(frame.left - 16, Math.min(x, frame.right + 6 - width)); // those at the ends move inwards
    if (left < before || left + width > end) continue;
    before = left + width;
    ctx.textAlign = left < x ? "right" : left > x ? "left" : "center";
    const at = { right: before, left, center: left + width / 2 }[ctx.textAlign];
    ctx.fillText(text, at, frame.bottom + 7);
  }
  if (!name) return;
  ctx.fillStyle = colors.text;
  ctx.textAlign = "right";
  ctx.fillText(name, frame.right + 6, frame.bottom + 7);
}

/** Ticks of x whose texts do not touch each other. */
function apart(x: Scale, axis: Axis): Tick[] {
  let ticks: Tick[] = [];
  for (const space of [58, 80, 110, 160]) {
    ticks = ticksOf(x, axis, space);
    const widest = Math.max(0, ...ticks.map(({ text }) => widthOf(text))) + TEXT_GAP;
    const places = ticks.map(({ value }) => toPixel(x, value));
    if (places.every((place, at) => at === 0 || place - (places[at - 1] as number) >= widest)) break;
  }
  return ticks;
}

export function drawBand(ctx: Surface, line: DrawnLine, frame: Frame, alpha: number): void {
  const { x, low, high } = line;
  if (!low || !high || x.length < 2) return;
  ctx.globalAlpha = alpha;
  ctx.fillStyle = inkOf(line.color);
  ctx.beginPath();
  for (let i = 0; i < x.length; i += 1) {
    const value = high[i] as number;
    if (drawable(value, frame)) ctx.lineTo(toPixel(frame.x, x[i] as number), toPixel(frame.y, value));
  }
  for (let i = x.length - 1; i >= 0; i -= 1) {
    const value = low[i] as number;
    if (drawable(value, frame)) ctx.lineTo(toPixel(frame.x, x[i] as number), toPixel(frame.y, value));
  }
  ctx.closePath();
  ctx.fill();
  ctx.globalAlpha = 1;
}

function drawRaw(ctx: Surface, line: DrawnLine, frame: Frame): void {
  if (!line.raw) return;
  ctx.globalAlpha = 0.28;
  ctx.strokeStyle = inkOf(line.color);
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  trace(ctx, line.x, line.raw, frame);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** Draw the line itself, with dots where points lie far apart or alone. */
export function drawLine(ctx: Surface, line: DrawnLine, frame: Frame, width: number): void {
  const color = inkOf(line.color);
  ctx.strokeStyle = color;
  ctx.lineWidth = line.color === BASELINE ? width + 1 : width;
  ctx.setLineDash(DASHES[dashOfLine(line)] as number[]);
  const alone = trace(ctx, line.x, line.y, frame);
  ctx.stroke();
  ctx.setLineDash([]);
  const isSparse = line.x.length * DOT_SPACE < frame.right - frame.left;
  if (!isSparse && !alone.length) return;
  ctx.fillStyle = color;
  ctx.beginPath();
  for (let i = 0; i < (isSparse ? line.x.length : alone.length); i += 1) {
    const at = isSparse ? i : (alone[i] as number);
    const value = line.y[at] as number;
    if (!drawable(value, frame)) continue;
    const [x, y] = [toPixel(frame.x, line.x[at] as number), toPixel(frame.y, value)];
    ctx.moveTo(x + 2.5, y);
    ctx.arc(x, y, 2.5, 0, 2 * Math.PI);
  }
  ctx.fill();
}

function drawable(value: number, frame: Frame): boolean {
  return Number.isFinite(value) && !(frame.y.log && value <= 0);
}

/** Put a line into the path, broken where values cannot be drawn; returns points without a neighbour. */
function trace(ctx: Surface, x: Float64Array, y: Float64Array, frame: Frame): number[] {
  const alone: number[] = [];
  let pen = 0; // points since the last gap
  ctx.beginPath();
  for (let i = 0; i < x.length; i += 1) {
    const value = y[i] as number;
    if (!drawable(value, frame) || (frame.x.log && (x[i] as number) <= 0)) {
      if (pen === 1) alone.push(i - 1);
      pen = 0;
      continue;
    }
    const [left, top] = [toPixel(frame.x, x[i] as number), toPixel(frame.y, value)];
    if (pen === 0) ctx.moveTo(left, top);
    else ctx.lineTo(left, top);
    pen += 1;
  }
  if (pen === 1) alone.push(x.length - 1);
  return alone;
}

/** Mark values that no line can show at the edge: ▲ top +∞, ▼ bottom −∞, ◆ bottom NaN. */
function drawOdd(ctx: Surface, lines: readonly DrawnLine[], frame: Frame, colors: Palette): void {
  ctx.fillStyle = colors.odd;
  for (const { x, y, raw } of lines) {
    const values = raw ?? y;
    for (let i = 0; i < x.length; i += 1) {
      const value = values[i] as number;
      if (Number.isFinite(value)) continue;
      const left = toPixel(frame.x, x[i] as number);
      const top = value === Infinity ? frame.top + 5 : frame.bottom - 5;
      ctx.beginPath();
      if (value !== -Infinity) ctx.lineTo(left, top - 5);
      ctx.lineTo(left + 5, top);
      if (value !== Infinity) ctx.lineTo(left, top + 5);
      ctx.lineTo(left - 5, top);
      ctx.closePath();
      ctx.fill();
    }
  }
}
