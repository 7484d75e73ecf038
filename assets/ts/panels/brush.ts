import { placeText, toPixel, toValue } from "../charts/scale";
import { type ColumnAxis, kindOf } from "./axes";
import type { Brush, Brushes } from "./narrowing";

/** How far a brushed name reaches beyond its place, pixels. */
const REACH = 7;

/** What lies between two places of an upright axis, in units of its column; null where names are and none is hit. */
export function brushBetween(axis: ColumnAxis, a: number, b: number): Brush | null {
  const { names, scale } = axis;
  const [top, bottom] = [Math.min(a, b), Math.max(a, b)];
  if (!names) {
    const low = Math.max(scale.min, toValue(scale, bottom));
    return { low, high: Math.min(scale.max, toValue(scale, top)) };
  }
  const found = names.filter((_, place) => {
    const at = toPixel(scale, place);
    return at >= top && at <= bottom;
  });
  return found.length ? { names: found } : null;
}

/** Top and bottom of a brush, pixels. */
export function pixelsOf(axis: ColumnAxis, brush: Brush): [number, number] {
  if (!("names" in brush)) return [toPixel(axis.scale, brush.high), toPixel(axis.scale, brush.low)];
  const places = (axis.names ?? []).flatMap((name, at) => (brush.names.includes(name) ? [at] : []));
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  return [toPixel(axis.scale, last) - REACH, toPixel(axis.scale, first) + REACH];
}

/** Move a brush by so many pixels, within its axis. */
export function moved(axis: ColumnAxis, brush: Brush, by: number): Brush | null {
  const [top, bottom] = pixelsOf(axis, brush);
  const within = Math.max(axis.scale.to - top, Math.min(axis.scale.from - bottom, by));
  const shift = axis.names ? by : within;
  return brushBetween(axis, top + shift, bottom + shift);
}

/** Whether a run with this value passes; the value of text is its name's place. */
export function passes(axis: ColumnAxis, brush: Brush, value: number): boolean {
  if (!("names" in brush)) return !axis.names && value >= brush.low && value <= brush.high;
  const name = axis.names?.[value];
  return name !== undefined && brush.names.includes(name);
}

/** 1 for each of so many runs that passes all brushes. */
export function passing(axes: readonly ColumnAxis[], brushes: Brushes, count: number): Uint8Array {
  const kept = new Uint8Array(count).fill(1);
  for (const axis of axes) {
    const brush = brushes.get(axis.column);
    if (!brush) continue;
    for (let at = 0; at < count; at += 1) {
      if (kept[at] && !passes(axis, brush, axis.values[at] as number)) kept[at] = 0;
    }
  }
  return kept;
}

export function brushText(axis: ColumnAxis, brush: Brush): string {
  if ("names" in brush) return brush.names.join(", ");
  const text = (value: number) => placeText(kindOf(axis.column), Number(value.toPrecision(3)));
  if (kindOf(axis.column) === "timestamp")
    return `${placeText("timestamp", brush.low)} – ${placeText("timestamp", brush.high)}`;
  return `${text(brush.low)} – ${text(brush.high)}`;
}
