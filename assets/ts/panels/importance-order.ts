import { collate } from "../lib/format";

/** What the server says of one parameter (metrics/workspace/importance.py): shares from 0 to 1, correlations from -1 to 1. */
export interface KeyImportance {
  column: string;
  /** Runs that have it and the metric. */
  count: number;
  /** How many different values. */
  values: number;
  importance: number | null;
  /** Its standard error. */
  error: number | null;
  spearman: number | null;
  pearson: number | null;
}

export type Order = "column" | "importance" | "spearman" | "pearson" | "count";

/** Weaker correlations than this have no sign worth a colour. */
const WEAK = 0.1;

/** Parameters in an order: correlations by their size, what has none always last. */
export function ordered(keys: readonly KeyImportance[], order: Order, isRising: boolean): KeyImportance[] {
  const sign = isRising ? 1 : -1;
  if (order === "column") return [...keys].sort((a, b) => sign * collate(a.column, b.column));
  const size = (key: KeyImportance) => Math.abs(key[order] ?? Number.NaN);
  return [...keys].sort((a, b) => {
    const [left, right] = [size(a), size(b)];
    if (Number.isNaN(left) || Number.isNaN(right))
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return sign * (left - right) || collate(a.column, b.column);
  });
}

/** Which way the metric goes as the parameter grows: "up", "down", or "none" for texts and weak correlations. */
export function signOf({ spearman }: Pick<KeyImportance, "spearman">): string {
  return spearman === null || Math.abs(spearman) < WEAK ? "none" : spearman > 0 ? "up" : "down";
}

/** A correlation with its sign: `+0.31`, `−0.31`, `0.00`; `–` where there is none. */
export function correlationText(value: number | null): string {
  const size = value === null ? "–" : Math.abs(value).toFixed(2);
  const sign = value === null || Number(size) === 0 ? "" : value > 0 ? "+" : "−";
  return sign + size;
}
