import { BASELINE, type Color, DASHES, dashOf, inkOf, type Palette, palette } from "./palette";
import { type Axis, type Scale, ticksOf, toPixel, unitTicks } from "./scale";
import type { Surface } from "./surface";

export const FONT = '11px "Inter Variable", system-ui, sans-serif';
/** The width of most letters of it, pixels. */
const LETTER = 6.3;
/** Points farther apart than this are marked with dots, pixels. */
const DOT_SPACE = 18;

/** One line as it is drawn: columns of one length, x rising. */
export interface DrawnLine {
  id: string;
  label: string;
  color: Color;
  dash: number;
  x: Float64Array;
  y: Float64Array;
  /** The line before smoothing, drawn faint. */
  raw: Float64Array | null;
  low: Float64Array | null;
  high: Float64Array | null;
  /** Of a line that stands for several: of how many at each place, and what its band is. */
  group?: { counts: Uint16Array; band: "range" | "std" | "stderr" | "none" };
}

export interface Look {
  axis: Axis;
  /** Written at the end of x; "" where its ticks tell what they are. */
  xName?: string;
  logX: boolean;
  logY: boolean;
  /** Ends of the axes; null is found from the lines. */
  xMin: number | null;
  xMax: number | null;
  yMin: number | null;
  yMax: number | null;
  /** Leave the outermost twentieth of values on each side out of the range of y. */
  withoutOutliers: boolean;
  /** Of y; "" for plain numbers. */
  unit: string;
  /** Draw values beyond the ends of y at the ends. */
  clamped: boolean;
}

/** Plain axes over all there is. */
export const PLAIN: Look = {
  axis: "number",
  logX: false,
  logY: false,
  xMin: null,
  xMax: null,
  yMin: null,
  yMax: null,
  withoutOutliers: false,
  unit: "",
  clamped: false,
};

export interface Frame {
  x: Scale;
  y: Scale;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Find both scales for a plot of this size, pixels. */
export function frameOf(lines: readonly DrawnLine[], look: Look, width: number, height: number): Frame {
  const [xMin, xMax] = xRange(lines, look);
  const [yMin, yMax] = yRange(lines, look, xMin, xMax);
  const top = 8;
  const bottom = height - 22;
  const y: Scale = { min: yMin, max: yMax, log: look.logY, from: bottom, to: top, clamped: look.clamped };
  const longest = Math.max(2, ...unitTicks(y, look.unit, 34).map(({ text }) => text.length));
  const left = Math.min(width / 3, longest * LETTER + 12);
  const right = width - 14;
  return { x: { min: xMin, max: xMax, log: look.logX, from: left, to: right }, y, left, top, right, bottom };
}

function xRange(lines: readonly DrawnLine[], look: Look): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of lines) {
    if (!x.length) continue;
    let first = x[0] as number;
    if (look.logX) first = x.find((value) => value > 0) ?? Infinity;
    if (first < low) low = first;
    const last = x[x.length - 1] as number;
    if (last > high) high = last;
  }
  low = look.xMin ?? low;
  high = look.xMax ?? high;
  return settled(low, high, look.logX);
}

function yRange(lines: readonly DrawnLine[], look: Look, from: number, to: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  const all: number[] = [];
  const see = (value: number) => {
    if (!Number.isFinite(value) || (look.logY && value <= 0)) return;
    if (look.withoutOutliers) all.push(value);
    if (value < low) low = value;
    if (value > high) high = value;
  };
  for (const line of lines) {
    for (let i = 0; i < line.x.length; i += 1) {
      const x = line.x[i] as number;
      if (x < from || x > to) continue;
      see(line.y[i] as number);
      if (line.raw) see(line.raw[i] as number);
      if (line.low) see(line.low[i] as number);
      if (line.high) see(line.high[i] as number);
    }
  }
  if (look.withoutOutliers && all.length > 20) {
    all.sort((a, b) => a - b);
    low = all[Math.floor(all.length * 0.05)] as number;
    high = all[Math.ceil(all.length * 0.95) - 1] as number;
  }
  const [min, max] = settled(look.yMin ?? low, look.yMax ?? high, look.logY);
  if (look.logY) return [look.yMin ?? min / 1.1, look.yMax ?? max * 1.1];
  const room = (max - min) * 0.06;
  return [look.yMin ?? min - room, look.yMax ?? max + room];
}

/** Make a range that is one: no points, or all in one place, give a place around them. */
function settled(low: number, high: number, log: boolean): [number, number] {
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (log && low <= 0) return [high > 0 ? high / 1000 : 1, high > 0 ? high : 10];
  if (low < high) return [low, high];
  if (log) return [low / 2, low * 2];
  const half = Math.abs(low) * 0.1 || 0.5;
  return [low - half, low + half];
}

/** Draw grid, axes and lines; `strong` names a line that stands out, the others then fade. */
export function drawPlot(ctx: Surface, lines: readonly DrawnLine[], look: Look, frame: Frame): void {
  const colors = palette();
  drawAxes(ctx, frame, look, colors);
  if (look.xName) drawName(ctx, frame, look.xName, colors);
  ctx.save();
  ctx.beginPath();
  ctx.rect(frame.left - 3, frame.top - 4, frame.right - frame.left + 7, frame.bottom - frame.top + 7);
  ctx.clip();
  const bandAlpha = Math.max(0.05, 0.17 / Math.sqrt(Math.max(1, lines.length)));
  for (const line of lines) drawBand(ctx, line, frame, bandAlpha);
  for (const line of lines) drawRaw(ctx, line, frame);
  for (const line of lines) drawLine(ctx, line, frame, 1.5);
  drawOdd(ctx, lines, frame, colors);
  ctx.restore();
}

function drawAxes(ctx: Surface, frame: Frame, look: Look, colors: Palette): void {
  ctx.font = FONT;
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  ctx.strokeStyle = colors.grid;
  ctx.fillStyle = colors.axis;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const { value, text } of unitTicks(frame.y, look.unit, 34)) {
    const y = Math.round(toPixel(frame.y, value)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(frame.left, y);
    ctx.lineTo(frame.right, y);
    ctx.stroke();
    ctx.fillText(text, frame.left - 6, y);
  }
  ctx.textBaseline = "top";
  for (const { value, text } of ticksOf(frame.x, look.axis, 58)) {
    const x = toPixel(frame.x, value);
    ctx.textAlign = x > frame.right - 14 ? "right" : x < frame.left + 4 ? "left" : "center";
    ctx.fillText(text, Math.min(x, frame.right + 10), frame.bottom + 7);
  }
}

/** Write what x is at its end, above the axis and below the lines. */
function drawName(ctx: Surface, frame: Frame, name: string, colors: Palette): void {
  const shown = shortened(name, (frame.right - frame.left) / 2 / LETTER);
  const width = shown.length * LETTER;
  ctx.fillStyle = colors.surface; // a line of the grid may pass
  ctx.beginPath();
  ctx.rect(frame.right - width - 4, frame.bottom - 14, width + 8, 13);
  ctx.fill();
  ctx.fillStyle = colors.axis;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.fillText(shown, frame.right, frame.bottom - 8);
}

/** Keep the end of a name, which tells more than its begin. */
function shortened(name: string, most: number): string {
  return name.length > most ? `…${name.slice(1 - Math.max(2, Math.floor(most)))}` : name;
}

function drawBand(ctx: Surface, line: DrawnLine, frame: Frame, alpha: number): void {
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
  ctx.setLineDash(DASHES[(line.dash + dashOf(line.color)) % DASHES.length] as number[]);
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

/** Place of the point nearest to `at` in a rising column; -1 in an empty one. */
export function nearest(x: Float64Array, at: number): number {
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && at - (x[low - 1] as number) < (x[low] as number) - at) return low - 1;
  return x.length ? low : -1;
}
