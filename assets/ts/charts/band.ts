import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import type { DrawnLine } from "./frame";

/** What lies around a line at one of its points: `0.1 … 0.4`, or `± 0.02` of a group; "" where there is nothing. */
export function bandText({ low, high, group }: DrawnLine, at: number, unit: string): string {
  const [least, greatest] = [low?.[at], high?.[at]];
  if (least === undefined || greatest === undefined || !(greatest > least)) return "";
  const isDeviation = group?.band === "std" || group?.band === "stderr";
  return isDeviation
    ? `± ${formatUnit((greatest - least) / 2, unit)}`
    : `${formatUnit(least, unit)} … ${formatUnit(greatest, unit)}`;
}

/** Of how many lines a group's is at a point, where some do not reach it. */
export function countText({ group }: DrawnLine, at: number): string {
  const count = group?.counts[at] ?? 0;
  return group && count && count < Math.max(...group.counts) ? word("pointsHere", { n: count }) : "";
}
