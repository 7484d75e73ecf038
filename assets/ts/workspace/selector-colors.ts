import { BASELINE, type Color, paint } from "../charts/palette";
import { one } from "../lib/dom";
import { entryOf } from "../lib/record";
import type { Stage } from "../panels/panel";
import type { RunInfo } from "../panels/runs";
import { ColorBy } from "./color-by";
import { pickColor } from "./color-menu";
import { RunColors, withPicked } from "./colors";

/** What a person chose of colors: kept under `selector` of a view. */
export interface ColorState {
  /** By run, or by the path of a group. */
  colors?: Record<string, Color>;
  /** The column that colors runs; without one each run has its own color. */
  colorBy?: string;
  /** The run that others are compared with, which is drawn in ink. */
  baseline?: string;
}

/** The colors of the runs in the list. */
export class SelectorColors {
  private readonly colors: RunColors;
  private readonly by: ColorBy;

  constructor(
    stage: Pick<Stage, "offered" | "table">,
    private readonly state: () => ColorState,
    private readonly keep: (state: ColorState) => void,
    changed: () => void,
  ) {
    this.colors = new RunColors(() => state().colors);
    this.by = new ColorBy(one(".selector"), {
      column: () => state().colorBy ?? "",
      choose: (colorBy) => keep({ colorBy }),
      stage,
      changed: (colors) => {
        this.colors.byColumn = colors;
        changed();
      },
    });
  }

  of(uid: string, own: Color): Color {
    return uid === this.state().baseline ? BASELINE : this.colors.of(uid, own);
  }

  /** The choice is another one. */
  read(): void {
    void this.by.read();
  }

  /** Give the runs of rows their colors; those that are `drawn` differ from each other. */
  paint(
    rows: readonly HTMLElement[],
    drawn: readonly RunInfo[],
    get: (uid: string) => RunInfo | undefined,
  ): void {
    this.colors.settle(drawn);
    for (const row of rows) {
      const run = get(row.dataset.uid ?? "");
      if (!run) continue;
      run.color = this.of(run.uid, run.color);
      paint(row, run.color);
    }
    if (this.state().colorBy) this.by.refresh();
  }

  /** Let somebody pick the color of a run, or of the group that `key` is the path of. */
  pick(key: string, button: HTMLElement | null, done?: () => void): void {
    const { colors = {} } = this.state();
    pickColor(button, entryOf(colors, key), (color) => {
      this.keep({ colors: withPicked(colors, key, color) });
      done?.();
    });
  }
}
