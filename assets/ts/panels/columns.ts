import { type Goal, toNumber, type ValuesReply } from "../charts/wire";
import { collate } from "../lib/format";
import { entryOf } from "../lib/record";
import type { Stage } from "./panel";
import type { RunInfo } from "./runs";

type Found = ValuesReply["runs"];

/** What summaries that `define_metric` asked for are called, after their key. */
const SUMMARY_END = /\.(?:min|max|mean|best|last|first)$/;

/** What a column such as `config.lr` holds for a run; undefined where the run has none. */
export function cellOf(values: Found, uid: string, column: string): unknown {
  const dot = column.indexOf(".");
  const part = entryOf(values, uid)?.[column.slice(0, dot) as "config" | "summary"];
  return entryOf(part, column.slice(dot + 1));
}

export function numberOf(values: Found, uid: string, column: string): number {
  const cell = cellOf(values, uid, column);
  return typeof cell === "boolean" ? Number(cell) : toNumber(cell);
}

/** Which values of a column are better, where most runs' scripts said so. */
export function goalOf(stage: Stage, column: string): Goal | undefined {
  if (!column.startsWith("summary.")) return undefined;
  const key = shortColumn(column);
  return stage.metric(key)?.goal ?? stage.metric(key.replace(SUMMARY_END, ""))?.goal;
}

/** The best of these runs in a column; undefined where nothing says what is better, or all have the same. */
export function bestOf(stage: Stage, values: Found, runs: readonly RunInfo[], column: string) {
  const goal = goalOf(stage, column);
  const numbers = runs.map(({ uid }) => numberOf(values, uid, column)).filter(Number.isFinite);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (!goal || !(low < high)) return undefined;
  const best = goal === "minimize" ? low : high;
  return runs.find(({ uid }) => numberOf(values, uid, column) === best)?.uid;
}

/** All columns that the runs have, config first. */
export function columnsOf(values: Found): string[] {
  const names = { config: new Set<string>(), summary: new Set<string>() };
  for (const run of Object.values(values)) {
    for (const part of ["config", "summary"] as const) {
      for (const name of Object.keys(run[part]))
        if (!name.startsWith("_")) names[part].add(`${part}.${name}`);
    }
  }
  return [...[...names.config].sort(collate), ...[...names.summary].sort(collate)];
}

/** Columns in which at least one of the runs has a number. */
export function numericColumns(values: Found): string[] {
  return columnsOf(values).filter((column) =>
    Object.keys(values).some((uid) => Number.isFinite(numberOf(values, uid, column))),
  );
}

/** Columns whose values are not the same in all runs. */
export function varied(values: Found, runs: readonly RunInfo[], columns: readonly string[]): string[] {
  return columns.filter((column) => {
    const texts = new Set(runs.map(({ uid }) => JSON.stringify(cellOf(values, uid, column)) ?? ""));
    return texts.size > 1;
  });
}

/** The column's name without its part, as people call it. */
export function shortColumn(column: string): string {
  return column.slice(column.indexOf(".") + 1);
}

/** Show a cell as text. */
export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "string") return cell;
  if (Array.isArray(cell) && cell.length === 1) return String(cell[0]);
  return typeof cell === "number" ? String(Number(cell.toPrecision(6))) : JSON.stringify(cell);
}
