/** A run as the workspace knows it. */
export interface RunInfo {
  uid: string;
  name: string;
  state: string;
  /** Place in the palette of runs. */
  color: number;
}

/** The runs of one value of each column to group by. */
export interface RunGroup {
  /** The values, in JSON; tells groups apart. */
  path: string;
  /** `Group: baseline · lr: 0.1` */
  name: string;
  /** The name without the columns: `baseline · 0.1` */
  values: string;
  /** Place in the palette of runs. */
  color: number;
  /** How many runs there are in it, drawn or not. */
  count: number;
}

/** Which runs there are, and which of them are drawn. */
export interface Runs {
  drawn(): RunInfo[];
  get(uid: string): RunInfo | undefined;
  /** Draw only runs of these ids, or all that are chosen again: a brush on parallel coordinates. */
  narrow(uids: Set<string> | null): void;
}
