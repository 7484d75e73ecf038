import type { Color } from "../charts/palette";
import { Narrowing } from "../panels/narrowing";
import type { RunInfo, Runs } from "../panels/runs";

/** The one run of a run's page. */
export class OneRun implements Runs {
  /** A brush has nothing to leave out here. */
  readonly narrowing = new Narrowing();
  private readonly run: RunInfo;

  constructor({ uid = "", name = "", state = "", color = "0" }: DOMStringMap) {
    this.run = { uid, name, state, color: color.startsWith("#") ? color : Number(color) };
  }

  drawn(): RunInfo[] {
    return [this.run];
  }

  get(uid: string): RunInfo | undefined {
    return uid === this.run.uid ? this.run : undefined;
  }

  query(): Record<string, string> {
    return { filter: `id = ${JSON.stringify(this.run.uid)}` };
  }

  colorOf(_uid: string, color: Color): Color {
    return color;
  }
}
