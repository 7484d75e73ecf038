import { make, makeIconButton } from "../lib/dom";
import { collate } from "../lib/format";
import { word } from "../lib/words";
import { cellText } from "./columns";
import { rows } from "./csv";
import { type TableData, TablesOfRuns } from "./media";
import { failure, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

const PAGE = 50;

interface Row {
  run: RunInfo;
  cells: unknown[];
}

/** The newest `wandb.Table` of a key of every run drawn, as one table: sorted, filtered, by pages. */
class Tables implements Panel {
  private columns: string[] = [];
  private rows: Row[] = [];
  private readonly tables: TablesOfRuns;
  private filter = "";
  private sortBy = -1;
  private isFalling = false;
  private page = 0;
  private shownFor = "";

  constructor(
    private readonly body: HTMLElement,
    spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    this.tables = new TablesOfRuns(stage, spec.keys[0] ?? "");
  }

  refresh(): void {
    const runs = this.stage.runs.drawn();
    const wanted = runs.map(({ uid, color }) => `${uid}:${color}`).join(" ");
    if (wanted === this.shownFor) return;
    this.shownFor = wanted;
    void this.read(runs);
  }

  destroy(): void {
    this.body.replaceChildren();
  }

  async csv(): Promise<string> {
    return rows([["run", ...this.columns], ...this.chosen().map(({ run, cells }) => [run.uid, ...cells])]);
  }

  private async read(runs: RunInfo[]): Promise<void> {
    try {
      const tables = await this.tables.of(runs.map(({ uid }) => uid));
      const columns = new Set<string>();
      for (const table of tables) for (const column of table?.columns ?? []) columns.add(String(column));
      this.columns = [...columns];
      this.rows = tables.flatMap((table, i) =>
        table ? joined(runs[i] as RunInfo, table, this.columns) : [],
      );
      this.show();
    } catch {
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private chosen(): Row[] {
    const text = this.filter.toLowerCase();
    const found = text
      ? this.rows.filter(({ run, cells }) =>
          [run.name, ...cells.map(cellText)].some((cell) => cell.toLowerCase().includes(text)),
        )
      : [...this.rows];
    if (this.sortBy < 0) return found;
    const sign = this.isFalling ? -1 : 1;
    return found.sort((a, b) => sign * compared(a.cells[this.sortBy], b.cells[this.sortBy]));
  }

  private show(): void {
    if (!this.rows.length) {
      note(this.body, word(this.stage.runs.drawn().length ? "noRows" : "noRunsDrawn"));
      return;
    }
    const chosen = this.chosen();
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    this.head.say(word("rowsShown", { n: chosen.length }));
    const box = make("div", "panel-table");
    const table = make("table", "data-table");
    table.createTHead().append(this.headRow());
    const lines = table.createTBody();
    for (const row of chosen.slice(this.page * PAGE, (this.page + 1) * PAGE)) lines.append(rowOf(row));
    box.append(table);
    const old = this.body.querySelector<HTMLInputElement>("input");
    const hadFocus = old === document.activeElement && old !== null;
    this.body.replaceChildren(this.tools(pages), box);
    if (hadFocus) this.body.querySelector<HTMLInputElement>("input")?.focus();
  }

  private tools(pages: number): HTMLElement {
    const tools = make("div", "panel-tools");
    const input = make("input", "form-control form-control-sm");
    input.type = "search";
    input.placeholder = word("filterRows");
    input.setAttribute("aria-label", word("filterRows"));
    input.value = this.filter;
    input.addEventListener("input", () => {
      this.filter = input.value;
      this.page = 0;
      this.show();
    });
    const step = (icon: string, text: string, by: number) => {
      const button = makeIconButton(icon, text);
      button.disabled = this.page + by < 0 || this.page + by >= pages;
      button.addEventListener("click", () => {
        this.page += by;
        this.show();
      });
      return button;
    };
    const place = make("span", "muted num", `${this.page + 1} / ${pages}`);
    tools.append(
      input,
      step("chevron-left", word("previous"), -1),
      place,
      step("chevron-right", word("next"), 1),
    );
    return tools;
  }

  private headRow(): HTMLElement {
    const row = make("tr");
    row.append(make("th", "", word("run")));
    for (const [place, column] of this.columns.entries()) {
      const cell = make("th");
      cell.scope = "col";
      const isSorted = this.sortBy === place;
      if (isSorted) cell.ariaSort = this.isFalling ? "descending" : "ascending";
      const button = make(
        "button",
        "panel-sort",
        `${column}${isSorted ? (this.isFalling ? " ↓" : " ↑") : ""}`,
      );
      button.type = "button";
      button.addEventListener("click", () => {
        this.isFalling = isSorted && !this.isFalling;
        this.sortBy = place;
        this.show();
      });
      cell.append(button);
      row.append(cell);
    }
    return row;
  }
}

/** Put a run's rows under the columns of all tables. */
function joined(run: RunInfo, { columns, data }: TableData, all: readonly string[]): Row[] {
  const places = all.map((column) => columns.findIndex((own) => String(own) === column));
  return data.map((cells) => ({ run, cells: places.map((place) => (place < 0 ? undefined : cells[place])) }));
}

function compared(a: unknown, b: unknown): number {
  if (a === undefined || a === null) return b === undefined || b === null ? 0 : 1;
  if (b === undefined || b === null) return -1;
  return typeof a === "number" && typeof b === "number" ? a - b : collate(cellText(a), cellText(b));
}

function rowOf({ run, cells }: Row): HTMLElement {
  const row = make("tr", `run-color-${run.color}`);
  const name = make("th");
  name.scope = "row";
  name.append(make("i", "run-swatch"), make("span", "", run.name));
  row.append(name);
  for (const cell of cells) {
    const shown = make("td", typeof cell === "number" ? "num end" : "", cellText(cell));
    shown.title = shown.textContent ?? "";
    row.append(shown);
  }
  return row;
}

export const makeTable: MakePanel = (...given) => new Tables(...given);
