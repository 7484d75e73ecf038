import type { Color } from "../charts/palette";
import type { Narrowing } from "../panels/narrowing";
import type { RunInfo, Runs } from "../panels/runs";

/** The runs of a sweep: all of them are listed, oldest first, and none is drawn as a line. */
export class SweepRuns implements Runs {
  constructor(
    private readonly filter: string,
    readonly narrowing: Narrowing,
  ) {}

  drawn(): RunInfo[] {
    return [];
  }

  get(_uid: string): RunInfo | undefined {
    return undefined;
  }

  query(): Record<string, string> {
    return { filter: this.filter, order: "created" };
  }

  colorOf(_uid: string, color: Color): Color {
    return color;
  }
}
