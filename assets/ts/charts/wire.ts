/** A number as JSON carries it; NaN and the infinities travel as words. */
export type WireNumber = number | "NaN" | "Infinity" | "-Infinity" | null;

/** One key's points; arrays of equal length, one entry a bucket or, when exact, a point. */
export interface WireSeries {
  /** Steps. */
  x: number[];
  /** Seconds since the run began. */
  runtime: WireNumber[];
  /** Seconds since 1970. */
  timestamp: WireNumber[];
  mean: WireNumber[];
  min: WireNumber[];
  max: WireNumber[];
  last: WireNumber[];
  /** Points in the bucket. */
  count: number[];
}

export interface SeriesReply {
  /** The first row that this answer does not hold: the cursor for the next question. */
  next_row: number;
  series: Record<string, WireSeries>;
}

export type Kind = "history" | "system";

export interface KeyInfo {
  key: string;
  type: "number" | "string" | "object" | "mixed";
  count: number;
  last: unknown;
  min: WireNumber;
  max: WireNumber;
}

export interface KeysReply {
  next_row: number;
  keys: KeyInfo[];
}

/** The messages of /ws/runs/<pk>. */
export type RunMessage =
  | { type: "rows"; history?: number; system?: number; log?: number }
  | { type: "state"; state: string };

/** Read a number that may be a word; null and anything else give NaN. */
export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return Number.NaN;
}
