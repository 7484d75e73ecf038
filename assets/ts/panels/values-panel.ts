import type { ValuesReply } from "../charts/wire";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Head, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

/** A panel on config and summary of the runs drawn: it reads the columns it needs and shows them. */
export abstract class ValuesPanel implements Panel {
  private isGone = false;

  constructor(
    protected readonly body: HTMLElement,
    protected readonly spec: PanelSpec,
    protected readonly stage: Stage,
    protected readonly head: Head,
  ) {
    skeleton(body);
  }

  refresh(): void {
    void this.read();
  }

  destroy(): void {
    this.isGone = true;
    this.body.replaceChildren();
  }

  csv?(): Promise<string>;
  texts?(): string[][];

  /** The columns needed; all of them when empty. */
  protected abstract columns(): string[];

  protected abstract show(runs: RunInfo[], values: ValuesReply["runs"]): void | Promise<void>;

  private async read(): Promise<void> {
    const runs = this.stage.runs.drawn();
    if (!runs.length) {
      note(this.body, noneDrawn(this.stage.runs));
      return;
    }
    try {
      const values = await this.stage.values(this.columns());
      if (!this.isGone) await this.show(runs, values);
    } catch {
      if (!this.isGone) failure(this.body, () => this.refresh());
    }
  }
}
