import type { Color } from "../charts/palette";
import { runCount } from "./run-count";
import type { RunGroup } from "./runs";
import type { GroupBand, GroupLine } from "./spec";
import { averaged } from "./statistics";

/** A line before smoothing. */
export interface Member {
  id: string;
  uid: string;
  /** Of the run. */
  run: string;
  key: string;
  label: string;
  color: Color;
  dash: number;
  x: Float64Array;
  y: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  /** Smoothed already, over all points; null where that is left to do. */
  smooth: Float64Array | null;
}

/** The line of a group. */
export interface GroupedLine extends Member {
  /** How many lines have a value at each place. */
  counts: Uint16Array;
}

/** Make one line of the lines of each group and key; lines of runs without a group are left out. */
export function grouped(
  members: readonly Member[],
  groupOf: ReadonlyMap<string, RunGroup>,
  line: GroupLine,
  band: GroupBand,
): GroupedLine[] {
  const lines = new Map<string, { group: RunGroup; inside: Member[] }>();
  for (const member of members) {
    const group = groupOf.get(member.uid);
    if (!group) continue;
    const id = `${group.path}\n${member.key}`;
    const found = lines.get(id);
    if (found) found.inside.push(member);
    else lines.set(id, { group, inside: [member] });
  }
  const hasKeys = new Set(members.map(({ key }) => key)).size > 1;
  return [...lines].map(([id, { group, inside }]) => {
    const first = inside[0] as Member;
    const key = hasKeys ? ` · ${first.key}` : "";
    const label = `${group.name}${key} (${runCount(new Set(inside.map(({ uid }) => uid)).size, group.count)})`;
    return { ...first, ...averaged(inside, line, band), smooth: null, id, label, color: group.color };
  });
}
