import { BASELINE } from "../charts/palette";
import type { Goal } from "../charts/wire";
import { formatPercent, formatValue } from "../lib/format";
import type { RunInfo } from "./runs";
import type { Aggregate } from "./spec";

/** A run that has a number. */
export interface Entry {
  run: RunInfo;
  value: number;
}

/** The run that others are compared with: the workspace's unless the panel has its own. */
export function baseOf(entries: readonly Entry[], baseline: string | undefined): Entry | undefined {
  return entries.find(({ run }) => (baseline ? run.uid === baseline : run.color === BASELINE));
}

/** The first run that is not the baseline, which the workspace lists first. */
export function newestOf(entries: readonly Entry[], base: Entry | undefined): Entry {
  return (entries.find((entry) => entry !== base) ?? entries[0]) as Entry;
}

export function aggregated(aggregate: Exclude<Aggregate, "last">, numbers: readonly number[]): number {
  if (aggregate === "min") return Math.min(...numbers);
  if (aggregate === "max") return Math.max(...numbers);
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** How far a number is from the baseline's, `+0.02 (+25%)`; `isBetter` where scripts told which way is better. */
export function deltaOf(
  value: number,
  base: number,
  goal: Goal | undefined,
): { text: string; isBetter: boolean | undefined } {
  const difference = value - base;
  const percent = base ? ` (${sign(difference)}${formatPercent(Math.abs(difference / base))})` : "";
  const text = `${sign(difference)}${formatValue(Math.abs(difference))}${percent}`;
  const isBetter = goal && difference ? (goal === "maximize") === difference > 0 : undefined;
  return { text, isBetter };
}

function sign(difference: number): string {
  return difference < 0 ? "−" : "+";
}
