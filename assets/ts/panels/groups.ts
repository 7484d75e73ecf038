import type { Spread } from "./spec";

/** A line before smoothing. */
export interface Member {
  id: string;
  uid: string;
  /** Of the run. */
  run: string;
  key: string;
  label: string;
  color: number;
  dash: number;
  x: Float64Array;
  y: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  /** Smoothed already, over all points; null where that is left to do. */
  smooth: Float64Array | null;
}

/** Places on x at which the lines of a group are averaged, at most. */
const PLACES = 250;

/** Make one line of the lines of each group and key: their mean, with the range or the deviation around it. */
export function grouped(members: readonly Member[], groupOf: Map<string, string>, spread: Spread): Member[] {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const name = `${groupOf.get(member.uid) ?? "–"}\n${member.key}`;
    groups.set(name, [...(groups.get(name) ?? []), member]);
  }
  const names = [...new Set(members.map(({ uid }) => groupOf.get(uid) ?? "–"))].sort((a, b) =>
    a.localeCompare(b, undefined, { numeric: true }),
  );
  return [...groups.entries()].map(([id, inside]) => {
    const first = inside[0] as Member;
    const name = groupOf.get(first.uid) ?? "–";
    const manyKeys = members.some(({ key }) => key !== first.key);
    const label = `${manyKeys ? `${name} · ${first.key}` : name} (${inside.length})`;
    return { ...first, ...averaged(inside, spread), smooth: null, id, label, color: names.indexOf(name) % 8 };
  });
}

/** The mean of lines, and around it their range or deviation. */
export function averaged(
  members: readonly Member[],
  spread: Spread,
): Pick<Member, "x" | "y" | "low" | "high"> {
  const x = commonPlaces(members);
  const y = new Float64Array(x.length).fill(Number.NaN);
  const low = new Float64Array(x.length).fill(Number.NaN);
  const high = new Float64Array(x.length).fill(Number.NaN);
  const at = members.map(() => 0);
  for (let place = 0; place < x.length; place += 1) {
    const values: number[] = [];
    for (const [number, member] of members.entries()) {
      at[number] = advanced(member.x, at[number] as number, x[place] as number);
      const value = interpolated(member, at[number] as number, x[place] as number);
      if (Number.isFinite(value)) values.push(value);
    }
    if (!values.length) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    y[place] = mean;
    if (spread === "std") {
      const off = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
      [low[place], high[place]] = [mean - off, mean + off];
    } else [low[place], high[place]] = [Math.min(...values), Math.max(...values)];
  }
  return { x, y, low: spread === "none" ? null : low, high: spread === "none" ? null : high };
}

/** All places of the lines where they are few, else evenly many between the first and the last. */
function commonPlaces(members: readonly Member[]): Float64Array {
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
function interpolated({ x, y }: Member, at: number, place: number): number {
  const [left, right] = [x[at] as number, x[at + 1]];
  if (place < left) return Number.NaN;
  if (right === undefined || place === left) return place > left ? Number.NaN : (y[at] as number);
  const part = (place - left) / (right - left || 1);
  return (y[at] as number) + ((y[at + 1] as number) - (y[at] as number)) * part;
}
