import type { Color } from "../charts/palette";
import type { Narrowing } from "./narrowing";

/** A run as the workspace knows it. */
export interface RunInfo {
  uid: string;
  name: string;
  state: string;
  color: Color;
}

/** The runs of one value of each column to group by. */
export interface RunGroup {
  /** The values, in JSON; tells groups apart. */
  path: string;
  /** `Group: baseline · lr: 0.1` */
  name: string;
  /** The name without the columns: `baseline · 0.1` */
  values: string;
  color: Color;
  /** How many runs there are in it, drawn or not. */
  count: number;
}

/** Which runs there are, and which of them are drawn. */
export interface Runs {
  drawn(): RunInfo[];
  get(uid: string): RunInfo | undefined;
  /** Which runs are listed: `filter`, `search` and `order` as in the address. */
  query(): Record<string, string>;
  /** The color that somebody gave a run, else `color`. */
  colorOf(uid: string, color: Color): Color;
  /** Brushes on panels, which leave only some of the runs. */
  readonly narrowing: Narrowing;
}
