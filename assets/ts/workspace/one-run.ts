import type { RunInfo, Runs } from "../panels/runs";

/** The one run of a run's page. */
export class OneRun implements Runs {
  private readonly run: RunInfo;

  constructor({ uid = "", name = "", state = "", color = "0" }: DOMStringMap) {
    this.run = { uid, name, state, color: Number(color) };
  }

  drawn(): RunInfo[] {
    return [this.run];
  }

  get(uid: string): RunInfo | undefined {
    return uid === this.run.uid ? this.run : undefined;
  }

  narrow(): void {}
}
