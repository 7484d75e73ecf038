import { COLORS, type Color } from "../charts/palette";
import type { Scale } from "../charts/scale";
import type { Goal } from "../charts/wire";
import { cellText } from "./columns";
import { runCount } from "./run-count";
import type { RunTable } from "./run-table";
import type { RunGroup } from "./runs";
import type { View } from "./spec";
import { shownOf } from "./statistics";

export interface Bar {
  /** Of the whole bar, on its tip. */
  label: string;
  /** Beside it, where there is little room. */
  short: string;
  color: Color;
  value: number;
  /** NaN where a group has no band. */
  low: number;
  high: number;
  count: number;
}

/** Pixels. */
const THINNEST = 16;
const THICKEST = 34;
/** Above and below the bars, pixels. */
const AROUND = 34;

/** A bar for each of these runs that has a number in a column. */
export function barsOfRuns(
  table: RunTable,
  column: string,
  drawn: ReadonlySet<string>,
  colorOf: (uid: string, color: Color) => Color,
): Bar[] {
  const { values } = table.measured(column);
  return table.runs.flatMap(({ uid, name, color }, at) => {
    const value = values[at] as number;
    if (!drawn.has(uid) || !Number.isFinite(value)) return [];
    const own = colorOf(uid, color);
    return [{ label: name, short: name, color: own, value, low: value, high: value, count: 1 }];
  });
}

type Grouping = Pick<View, "groupBy" | "groupLine" | "groupBand">;

/** A bar for each group of all runs; one whose lines are drawn has their name and colour. */
export function barsOfGroups(
  table: RunTable,
  column: string,
  { groupBy, groupLine, groupBand }: Grouping,
  groupOf: ReadonlyMap<string, RunGroup>,
): Bar[] {
  const cells = groupBy.map((name) => table.cells(name));
  const groups = new Map<string, { uids: string[]; found: number[] }>();
  for (const [at, value] of table.measured(column).values.entries()) {
    if (!Number.isFinite(value)) continue;
    const name = cells.map((column) => cellText(column[at]) || "–").join(" · ");
    const group = groups.get(name) ?? { uids: [], found: [] };
    group.uids.push(table.runs[at]?.uid ?? "");
    group.found.push(value);
    groups.set(name, group);
  }
  return [...groups].map(([name, { uids, found }], place) => {
    const drawn = uids.map((uid) => groupOf.get(uid)).find((group) => group !== undefined);
    const short = groupBy.length > 1 ? name : (drawn?.name ?? name);
    return {
      label: `${drawn?.name ?? name} (${runCount(found.length, found.length)})`,
      short,
      color: drawn?.color ?? place % COLORS,
      ...shownOf(found, groupLine, groupBand),
      count: found.length,
    };
  });
}

/** The best bar first: the smallest where less is better. */
export function bestFirst(bars: readonly Bar[], goal: Goal | undefined): Bar[] {
  const sign = goal === "minimize" ? -1 : 1;
  return [...bars].sort((a, b) => sign * (b.value - a.value));
}

/** The bars that fit into so many pixels, and how high each is. */
export function fitting(bars: readonly Bar[], height: number): { shown: readonly Bar[]; step: number } {
  const room = height - AROUND;
  const shown = bars.slice(0, Math.max(1, Math.floor(room / THINNEST)));
  return { shown, step: Math.min(THICKEST, room / shown.length) };
}

/** Whether the band of a bar is marked on it. */
export function hasBand({ low, high, count }: Bar): boolean {
  return count > 1 && low <= high;
}

/** The scale that bars, and what is marked on them, lie along; it has zero. */
export function scaleOf(bars: readonly Bar[], width: number): Scale {
  const ends = bars.flatMap((bar) => [bar.value, ...(hasBand(bar) ? [bar.low, bar.high] : [])]);
  const [min, max] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  return {
    min,
    max: max === min ? min + 1 : max,
    log: false,
    from: Math.min(160, width * 0.4),
    to: width - 64,
  };
}
