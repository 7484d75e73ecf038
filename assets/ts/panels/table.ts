import { word } from "../lib/words";
import { PagedTable } from "../media/paged-table";
import { onceChosen, Stepper } from "../media/stepper";
import type { Condition } from "../media/table-filters";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { PanelSpec } from "./spec";

/** The server's limit for one request. */
const MOST_RUNS = 50;
/** While runs log, tables are looked for anew at most this often, milliseconds. */
const AGAIN_MS = 10_000;

/** The `wandb.Table` of a key of every run drawn, the newest or that of a step, as one table: sorted, filtered, grouped, by pages (RUN-26). */
class Tables implements Panel {
  private table: PagedTable | undefined;
  private groupBy: string;
  private where: Condition[];
  private pictureSize: number | undefined;
  private query = "";
  private shownFor = "";
  private readAt = 0;
  private readonly moveSoon = onceChosen(() => this.table?.moveTo(this.chosenStep));
  private readonly steps = new Stepper(this.moveSoon);

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    [this.groupBy = ""] = spec.groupBy ?? [];
    this.where = spec.where ?? [];
    this.pictureSize = spec.pictureSize;
  }

  refresh(): void {
    const runs = this.stage.runs.drawn();
    const wanted = runs.map(({ uid, color }) => `${uid}:${color}`).join(" ");
    if (wanted === this.shownFor) return;
    this.shownFor = wanted;
    this.table?.destroy();
    this.table = undefined;
    if (!runs.length) {
      this.head.say("");
      note(this.body, noneDrawn(this.stage.runs));
      return;
    }
    const names = runs.slice(0, MOST_RUNS).map(({ uid }) => ["run", uid]);
    this.query = new URLSearchParams([...names, ["key", this.spec.keys[0] ?? ""]]).toString();
    const about = new Map(runs.map((run) => [run.uid, run]));
    this.table = new PagedTable(this.body, {
      url: `${this.stage.urls.tables}?${this.query}`,
      runOf: (uid) => about.get(uid) ?? { name: uid, color: 0 },
      groupBy: this.groupBy,
      grouped: (groupBy) => {
        this.groupBy = groupBy;
        this.head.keep({ groupBy: [groupBy].filter(Boolean) });
      },
      where: this.where,
      viewers: this.stage.urls.viewers,
      pictureSize: this.pictureSize,
      pictured: (pictureSize) => {
        this.pictureSize = pictureSize;
        this.head.keep({ pictureSize });
      },
      filtered: (where) => {
        this.where = where;
        this.head.keep({ where });
      },
      first: this.steps.element,
      step: this.chosenStep,
      stepsFound: (steps) => this.steps.offer(steps),
      counted: (n) => this.head.say(this.countText(n, runs.length)),
    });
    void this.read();
  }

  grew(): void {
    const isUsed = this.body.contains(document.activeElement);
    if (!isUsed && performance.now() - this.readAt > AGAIN_MS) void this.read();
  }

  destroy(): void {
    this.table?.destroy();
    this.moveSoon.cancel();
    this.steps.stop();
    this.body.replaceChildren();
  }

  csvAddress(): string {
    const found = new URLSearchParams(this.table?.narrowed ?? {});
    return `${this.stage.urls.tables}.csv?${this.query}&${found}`;
  }

  texts(): string[][] {
    return this.table?.texts() ?? [];
  }

  /** Undefined follows the newest. */
  private get chosenStep(): number | undefined {
    return this.steps.isNewest ? undefined : this.steps.step;
  }

  private countText(n: number, runs: number): string {
    return runs > MOST_RUNS ? word("runsShownOf", { n: MOST_RUNS, all: runs }) : word("rowsShown", { n });
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    const { table } = this;
    try {
      await table?.read();
    } catch {
      if (table !== this.table) return;
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }
}

export const makeTable: MakePanel = (...given) => new Tables(...given);
