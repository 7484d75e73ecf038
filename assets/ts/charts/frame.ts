import { widthOf } from "./letters";
import { type Color, DASHES, dashOf } from "./palette";
import { type Axis, type Scale, type Tick, unitTicks } from "./scale";

const MOST_Y_TICKS = 8;
/** The ranges of the buckets of more lines lie over each other. */
const MOST_BANDS = 4;
/** What differs by less, as a part of itself, differs by how numbers are kept. */
const ROUNDING = 1e-10;

/** One line as it is drawn: columns of one length, x rising. */
export interface DrawnLine {
  id: string;
  label: string;
  /** Whose it is: the run's id, or the path of its group. */
  owner: string;
  color: Color;
  dash: number;
  /** Pixels; 1.5 where nobody said otherwise. */
  width?: number;
  x: Float64Array;
  y: Float64Array;
  /** The line before smoothing, drawn faint. */
  raw: Float64Array | null;
  low: Float64Array | null;
  high: Float64Array | null;
  /** Of a line that stands for several: of how many at each place, and what its band is. */
  group?: { counts: Uint16Array; band: "range" | "std" | "stderr" | "none" };
}

/** The line's place in `DASHES`: its color's and its own. */
export function dashOfLine({ color, dash }: Pick<DrawnLine, "color" | "dash">): number {
  return (dashOf(color) + dash) % DASHES.length;
}

export interface Look {
  axis: Axis;
  /** Written at the end of x; "" where its ticks tell what they are. */
  xName?: string;
  /** Written above y. */
  yName?: string;
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
  const top = look.yName ? 22 : 8;
  const bottom = height - 22;
  const y: Scale = { min: yMin, max: yMax, log: look.logY, from: bottom, to: top, clamped: look.clamped };
  const longest = Math.max(widthOf("00"), ...yTicksOf(y, look.unit).map(({ text }) => widthOf(text)));
  const left = Math.min(width / 3, longest + 12);
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

/** Whether the range around a line is drawn while nobody points at it: around many it tells nothing. */
export function isShaded({ group }: DrawnLine, lines: number): boolean {
  return group !== undefined || lines <= MOST_BANDS;
}

/** Ticks of y: few enough to be read at a glance. */
export function yTicksOf(y: Scale, unit: string): Tick[] {
  return unitTicks(y, unit, 34, MOST_Y_TICKS);
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
    const hasBand = isShaded(line, lines.length);
    for (let i = 0; i < line.x.length; i += 1) {
      const x = line.x[i] as number;
      if (x < from || x > to) continue;
      see(line.y[i] as number);
      if (line.raw) see(line.raw[i] as number);
      if (!hasBand) continue;
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
  const room = look.logY ? 0 : (max - min) * 0.06;
  const [below, above] = look.logY ? [min / 1.1, max * 1.1] : [min - room, max + room];
  return [look.yMin === min ? min : below, look.yMax === max ? max : above];
}

/** Make a range that is one: no points, or all in one place, give a place around them. */
function settled(low: number, high: number, log: boolean): [number, number] {
  if (low > high && Number.isFinite(low)) return log && low > 0 ? [low, low * 10] : [low, low + 1]; // chosen
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (log && low <= 0) return [high > 0 ? high / 1000 : 1, high > 0 ? high : 10];
  if (high - low > Math.max(Math.abs(low), Math.abs(high)) * ROUNDING) return [low, high];
  if (log) return [low / 2, low * 2];
  const half = Math.abs(low) * 0.1 || 0.5;
  return [low - half, low + half];
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
