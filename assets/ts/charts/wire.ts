import { entryOf } from "../lib/record";

/** A number as JSON carries it; NaN and the infinities travel as words. */
export type WireNumber = number | "NaN" | "Infinity" | "-Infinity" | null;

/** One key of one run: arrays of one length; min and max are missing where each point is shown. */
export interface WireLine {
  /** Place in the answer's list of x columns. */
  x: number;
  last: WireNumber[];
  min?: WireNumber[];
  max?: WireNumber[];
  /** Smoothed over all points, where that was asked for. */
  smooth?: WireNumber[];
}

export interface SeriesReply {
  /** Per run the first row that this answer does not hold: the cursor for the next question. */
  next: Record<string, number>;
  x: number[][];
  /** By run, then key. */
  series: Record<string, Record<string, WireLine>>;
}

export type Kind = "history" | "system";

export type Goal = "minimize" | "maximize";

export interface KeyInfo {
  key: string;
  /** "number", "string", "image-file", "table-file", …; several where runs differ. */
  types: string[];
  /** How many of the runs have it. */
  runs: number;
  /** Whether there is a number to draw. */
  numbers: boolean;
  /** The key that `define_metric` made its axis; without, it is the step. */
  x?: string;
  /** Whether no panel is made of it by itself. */
  hidden?: boolean;
  /** Which values are better. */
  goal?: Goal;
  /** What a system metric is. */
  about?: KeyAbout;
}

/** Of a system metric: its chart, and which line of it the key is. */
export interface KeyAbout {
  /** Of the chart. */
  id: string;
  title: string;
  unit: string;
  /** Of what a counter grows by in a second; "" for what is no counter. */
  rate_unit: string;
  section: string;
  rank: number;
  order: number;
  text: string;
  /** The tag in its documented spelling. */
  line: string;
  /** `GPU 3`; "" for the whole machine. */
  device: string;
  /** The label of the node that sampled it; "" without. */
  node: string;
}

export interface KeysReply {
  next: Record<string, number>;
  keys: KeyInfo[];
  /** What `wandb.plot` logged, by key; history only. */
  charts?: Record<string, Record<string, unknown>>;
}

/** What grouped panels draw: groups, and runs of them. */
export interface GroupsReply {
  /** `values` is the name without the columns, `place` the group's place among all that there are. */
  groups: { path: string; name: string; values: string; count: number; place: number }[];
  /** `group` is a place in `groups`. */
  runs: { uid: string; name: string; state: string; group: number }[];
  /** Of all groups, drawn or not. */
  groupCount: number;
  /** Of the groups that nobody hid; more than `groups` where there is no room for all. */
  shownCount: number;
  /** Of all groups. */
  runCount: number;
}

export type Values = Record<string, unknown>;

export interface ValuesReply {
  runs: Record<string, { config: Values; summary: Values }>;
}

/** The messages of /ws/runs/<pk>. */
export type RunMessage =
  | { type: "rows"; uid?: string; history?: number; system?: number; log?: number }
  | { type: "state"; state: string };

/** The messages of /ws/projects/<pk>/runs: rows name their run. */
export type ProjectMessage = RunMessage | { type: "run"; uid: string; state: string };

/** One key of one run in an answer; both may be called `constructor`. */
export function lineIn({ series }: SeriesReply, uid: string, key: string): WireLine | undefined {
  return entryOf(entryOf(series, uid), key);
}

/** Read a number that may be a word, or, in config and summary, a word in a list; anything else gives NaN. */
export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (Array.isArray(value) && value.length === 1) return toNumber(value[0]);
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return Number.NaN;
}

/** Read a column of numbers. */
export function toColumn(values: readonly WireNumber[]): Float64Array {
  const column = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) column[i] = toNumber(values[i]);
  return column;
}
