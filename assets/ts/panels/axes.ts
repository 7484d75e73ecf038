import { type Axis, placeText, type Scale, type Tick, ticksOf, toPixel } from "../charts/scale";
import { cellText } from "./columns";
import type { RunTable } from "./run-table";

/** A column of all runs along an axis: numbers, or names at even places. */
export interface ColumnAxis {
  column: string;
  names: readonly string[] | null;
  scale: Scale;
  /** Of each run of the table; NaN where it has none, or none that fits. */
  values: Float64Array;
  /** The same in pixels. */
  places: Float32Array;
}

export interface AxisWish {
  /** Pixels of the least and the greatest value. */
  from: number;
  to: number;
  /** "auto" is logarithmic for positive numbers that span more than a decade. */
  log: boolean | "auto";
  /** Leave so much of the range free beyond the ends, so that marks are whole. */
  room: number;
}

const TIMES = new Set(["created", "started", "finished", "heartbeat", "updated"]);
const SPANS = new Set(["runtime", "duration"]);
const LOG_FROM = 20;

/** What the numbers of a column stand for. */
export function kindOf(column: string): Axis {
  if (TIMES.has(column)) return "timestamp";
  return SPANS.has(column) ? "runtime" : "number";
}

/** The smallest and the largest finite number, null without any. */
export function extentOf(values: ArrayLike<number>, isPositive = false): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    if (!Number.isFinite(value) || (isPositive && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Whether a logarithmic scale suits the values: all positive, over more than a decade. */
export function spansDecades(values: ArrayLike<number>): boolean {
  const [low, high] = extentOf(values) ?? [0, 0];
  return low > 0 && high / low >= LOG_FROM;
}

/** Lay a column out; its scale is that of all runs, whichever of them are chosen. */
export function axisOf(table: RunTable, column: string, { from, to, log, room }: AxisWish): ColumnAxis {
  const { names, values } = table.measured(column);
  const isSure = log === true && !names;
  const known = names ? ([0, names.length - 1] as [number, number]) : extentOf(values, isSure);
  const [low, high] = known ?? (isSure ? [1, 10] : [0, 1]);
  const isLog = !names && (log === "auto" ? spansDecades([low, high]) : log);
  const scale = { ...rangeOf(low, high, isLog, room), log: isLog, from, to };
  const places = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    const fits = Number.isFinite(value) && (!isLog || value > 0);
    places[at] = fits ? toPixel(scale, value) : Number.NaN;
  }
  return { column, names, scale, values, places };
}

function rangeOf(low: number, high: number, log: boolean, room: number): { min: number; max: number } {
  if (log) {
    const part = low === high ? 1.3 : (high / low) ** room;
    return { min: low / part, max: high * part };
  }
  if (low === high) {
    const half = Math.abs(low) * 0.1 || 0.5;
    return { min: low - half, max: high + half };
  }
  return { min: low - (high - low) * room, max: high + (high - low) * room };
}

/** Ticks at round numbers, or at as many names as have `space` pixels. */
export function ticksAlong({ names, scale, column }: ColumnAxis, space: number): Tick[] {
  if (!names) return ticksOf(scale, kindOf(column), space);
  const room = Math.max(1, Math.floor(Math.abs(scale.to - scale.from) / space));
  const every = Math.max(1, Math.ceil(names.length / room));
  return names.map((text, value) => ({ text, value })).filter((_, at) => at % every === 0);
}

/** Cut a text to what fits into a width. */
export function fitted(text: string, width: number): string {
  const most = Math.max(2, Math.floor(width / 6.2));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A cell as text; times and lengths of time as such. */
export function textIn(column: string, cell: unknown): string {
  const kind = kindOf(column);
  return typeof cell === "number" && kind !== "number" ? placeText(kind, cell) : cellText(cell);
}
