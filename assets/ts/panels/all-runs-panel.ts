import type { Picture } from "../charts/picture";
import { hideTip, showTip } from "../charts/tip";
import { word } from "../lib/words";
import { textIn } from "./axes";
import { shortColumn } from "./columns";
import { failure, note, skeleton } from "./notes";
import type { Head, Panel, Stage } from "./panel";
import type { RunTable } from "./run-table";
import type { PanelSpec } from "./spec";

/** How often a panel looks for new values while runs of it are active, milliseconds. */
const LIVE_PAUSE_MS = 10_000;

/** A panel on columns of all runs that the page lists, whether or not their lines are drawn. */
export abstract class AllRunsPanel implements Panel {
  private isGone = false;
  private shown: RunTable | undefined;
  private timer: number | undefined;

  constructor(
    protected readonly body: HTMLElement,
    protected readonly spec: PanelSpec,
    protected readonly stage: Stage,
    protected readonly head: Head,
  ) {
    skeleton(body);
  }

  refresh(): void {
    void this.read(false);
  }

  grew(): void {
    if (!document.hidden) void this.read(true);
    else this.later();
  }

  destroy(): void {
    this.isGone = true;
    clearTimeout(this.timer);
    this.body.replaceChildren();
  }

  picture?(): Picture | null;
  csv?(): Promise<string>;

  /** The columns needed; nothing is read while there are fewer than `fewest`. */
  protected abstract columns(): string[];
  protected abstract readonly fewest: number;
  protected abstract show(table: RunTable): void | Promise<void>;

  /** Ids of the runs whose lines are drawn. */
  protected drawn(): Set<string> {
    return new Set(this.stage.runs.drawn().map(({ uid }) => uid));
  }

  /** Listen to the pointer over the canvas, once. */
  protected onPointer(move: (event: PointerEvent) => void): void {
    const canvas = this.body.querySelector("canvas");
    if (!canvas || canvas.dataset.heard) return;
    canvas.dataset.heard = "";
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", hideTip);
  }

  /** Show a run's values of the columns where the pointer is; nothing of a run that is not in the table. */
  protected showRun(table: RunTable | undefined, at: number, event: PointerEvent): void {
    const run = table?.runs[at];
    if (!run) {
      hideTip();
      return;
    }
    const tips = this.columns().map((column) => ({
      color: this.stage.runs.colorOf(run.uid, run.color),
      label: shortColumn(column),
      value: textIn(column, table?.cells(column)[at]),
      detail: "",
      strong: false,
    }));
    showTip(run.name, tips, { left: event.clientX, top: event.clientY });
  }

  private async read(onlyNew: boolean): Promise<void> {
    const columns = this.columns();
    if (columns.length < this.fewest) {
      note(this.body, word(this.fewest > 1 ? "twoColumns" : "chooseColumn"));
      return;
    }
    try {
      const table = await this.stage.table(columns);
      if (this.isGone || (onlyNew && table === this.shown)) return;
      this.shown = table;
      if (table.runs.length) await this.show(table);
      else note(this.body, word("noRunListed"));
    } catch {
      if (!this.isGone && !(onlyNew && this.shown)) failure(this.body, () => this.refresh());
    } finally {
      this.later();
    }
  }

  private later(): void {
    clearTimeout(this.timer);
    if (this.isGone || !this.shown?.isLive) return;
    this.timer = window.setTimeout(() => this.grew(), LIVE_PAUSE_MS);
  }
}
