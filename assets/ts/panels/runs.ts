/** A run as the workspace knows it. */
export interface RunInfo {
  uid: string;
  name: string;
  state: string;
  /** Place in the palette of runs. */
  color: number;
}

/** Which runs there are, and which of them are drawn. */
export interface Runs {
  drawn(): RunInfo[];
  get(uid: string): RunInfo | undefined;
  /** Draw only runs of these ids, or all that are chosen again: a brush on parallel coordinates. */
  narrow(uids: Set<string> | null): void;
}
