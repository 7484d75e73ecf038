import type { GroupedLine, Member } from "./groups";
import type { GroupBand, GroupLine } from "./spec";

/** Places on x at which the lines of a group are averaged, at most. */
const PLACES = 250;

type Columns = [Float64Array, Float64Array, Float64Array];

/** What a group shows of its runs at one place; low and high are NaN where nothing is shaded. */
export interface Shown {
  value: number;
  low: number;
  high: number;
}

/**
 * The line and the band of a group's finite values, of which there is at least one.
 *
 * Deviations are a sample's (n − 1), as runs with other seeds are a sample of what could have been, and lie around
 * the line, whatever it is. A single value has none.
 */
export function shownOf(values: readonly number[], line: GroupLine, band: GroupBand): Shown {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, greatest] = [sorted[0] as number, sorted[sorted.length - 1] as number];
  const value = { mean: meanOf, median: medianOf, min: () => least, max: () => greatest }[line](sorted);
  if (band === "range") return { value, low: least, high: greatest };
  const off = band === "none" ? Number.NaN : deviationOf(sorted, band);
  return { value, low: value - off, high: value + off };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

function deviationOf(values: readonly number[], band: "std" | "stderr"): number {
  const count = values.length;
  if (count < 2) return Number.NaN;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (count - 1) / (band === "stderr" ? count : 1));
}

/** One line of several, with a band around it; at each place of the lines that have a finite value there. */
export function averaged(
  members: readonly Pick<Member, "x" | "y">[],
  line: GroupLine,
  band: GroupBand,
): Pick<GroupedLine, "x" | "y" | "low" | "high" | "counts"> {
  const x = commonPlaces(members);
  const [y, low, high] = [0, 0, 0].map(() => new Float64Array(x.length).fill(Number.NaN)) as Columns;
  const counts = new Uint16Array(x.length);
  const at = members.map(() => 0);
  for (let place = 0; place < x.length; place += 1) {
    const values: number[] = [];
    for (const [number, member] of members.entries()) {
      at[number] = advanced(member.x, at[number] as number, x[place] as number);
      const value = interpolated(member, at[number] as number, x[place] as number);
      if (Number.isFinite(value)) values.push(value);
    }
    counts[place] = values.length;
    if (!values.length) continue;
    const shown = shownOf(values, line, band);
    [y[place], low[place], high[place]] = [shown.value, shown.low, shown.high];
  }
  return { x, y, low: band === "none" ? null : low, high: band === "none" ? null : high, counts };
}

/** All places of the lines where they are few, else evenly many between the first and the last. */
function commonPlaces(members: readonly Pick<Member, "x" | "y">[]): Float64Array {
  const all = new Set<number>();
  for (const { x } of members) for (const value of x) if (all.size <= PLACES) all.add(value);
  if (all.size <= PLACES) return Float64Array.from([...all].sort((a, b) => a - b));
  const low = Math.min(...members.map(({ x }) => x[0] as number));
  const high = Math.max(...members.map(({ x }) => x[x.length - 1] as number));
  return Float64Array.from({ length: PLACES }, (_, i) => low + ((high - low) * i) / (PLACES - 1));
}

function advanced(x: Float64Array, from: number, to: number): number {
  let at = from;
  while (at < x.length - 1 && (x[at + 1] as number) <= to) at += 1;
  return at;
}

/** The value at a place between the points of a line; NaN where the line does not reach. */
function interpolated({ x, y }: Pick<Member, "x" | "y">, at: number, place: number): number {
  const [left, right] = [x[at] as number, x[at + 1]];
  if (place < left) return Number.NaN;
  if (right === undefined || place === left) return place > left ? Number.NaN : (y[at] as number);
  const part = (place - left) / (right - left || 1);
  return (y[at] as number) + ((y[at + 1] as number) - (y[at] as number)) * part;
}
