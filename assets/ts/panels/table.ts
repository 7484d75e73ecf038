import { make, makeIcon, makeIconButton } from "../lib/dom";
import { collate } from "../lib/format";
import { word } from "../lib/words";
import { cellText } from "./columns";
import { rows } from "./csv";
import { type TableData, TablesOfRuns } from "./media";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";
import { type Group, groupsOf, type Summary, sortValue } from "./table-groups";

const PAGE = 50;
/** Stands for the run among the columns to group by, and for the number of rows among those to sort by. */
const RUN = "\u0000run";
const COUNT = -2;

interface Row {
  run: RunInfo;
  cells: unknown[];
}

/** The newest `wandb.Table` of a key of every run drawn, as one table: sorted, filtered, grouped, by pages. */
class Tables implements Panel {
  private columns: string[] = [];
  private rows: Row[] = [];
  private readonly tables: TablesOfRuns;
  private filter = "";
  private sortBy = -1;
  private isFalling = false;
  private page = 0;
  private groupBy: string;
  private readonly open = new Set<string>();
  private shownFor = "";

  constructor(
    private readonly body: HTMLElement,
    spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    this.tables = new TablesOfRuns(stage, spec.keys[0] ?? "");
    [this.groupBy = ""] = spec.groupBy ?? [];
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

  texts(): string[][] {
    const head = [word("run"), ...this.columns];
    return [head, ...this.chosen().map(({ run, cells }) => [run.name, ...cells.map(cellText)])];
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

  private show(focus = ""): void {
    if (!this.rows.length) {
      note(this.body, this.stage.runs.drawn().length ? word("noRows") : noneDrawn(this.stage.runs));
      return;
    }
    const chosen = this.chosen();
    const lines = this.isGrouped ? this.grouped(chosen) : chosen.map((row) => () => rowOf(row, false));
    const pages = Math.max(1, Math.ceil(lines.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    this.head.say(word("rowsShown", { n: chosen.length }));
    const box = make("div", "panel-table");
    const table = make("table", "data-table");
    table.createTHead().append(this.headRow());
    const shown = lines.slice(this.page * PAGE, (this.page + 1) * PAGE);
    table.createTBody().append(...shown.map((draw) => draw()));
    box.append(table);
    box.addEventListener("keydown", (event) => this.key(event));
    const scrolled = this.body.querySelector(".panel-table")?.scrollTop ?? 0;
    const hadFocus =
      this.body.querySelector("input") === document.activeElement &&
      this.body.contains(document.activeElement);
    this.body.replaceChildren(this.tools(pages), box);
    if (focus) box.scrollTop = scrolled;
    if (hadFocus) this.body.querySelector<HTMLInputElement>("input")?.focus();
    if (focus) this.body.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
  }

  private get isGrouped(): boolean {
    return this.groupBy === RUN || this.columns.includes(this.groupBy);
  }

  /** Lines of groups, and of the rows of those that are open. */
  private grouped(chosen: Row[]): (() => HTMLElement)[] {
    const at = this.columns.indexOf(this.groupBy);
    const keyOf = (row: Row) => (at < 0 ? row.run.uid : row.cells[at]);
    const groups = groupsOf(chosen, keyOf, ({ cells }) => cells, this.columns.length);
    const sign = this.isFalling ? -1 : 1;
    const by = (group: Group<Row>) =>
      this.sortBy === COUNT
        ? group.rows.length
        : this.sortBy < 0
          ? group.value
          : sortValue(group.columns[this.sortBy]);
    groups.sort((a, b) => sign * compared(by(a), by(b)));
    return groups.flatMap((group) => {
      const id = JSON.stringify(group.value);
      const isOpen = this.open.has(id);
      const line = () => this.groupRow(group, id, isOpen, at);
      return isOpen ? [line, ...group.rows.map((row) => () => rowOf(row, true))] : [line];
    });
  }

  private groupRow(group: Group<Row>, id: string, isOpen: boolean, at: number): HTMLElement {
    const line = make("tr", "panel-table-group");
    const head = make("th");
    head.scope = "row";
    const toggle = make("button", "panel-toggle");
    toggle.type = "button";
    toggle.dataset.group = id;
    toggle.dataset.focus = `group ${id}`;
    toggle.setAttribute("aria-expanded", String(isOpen));
    const name = at < 0 ? (group.rows[0] as Row).run.name : cellText(group.value) || "–";
    toggle.append(makeIcon("chevron-right"), make("span", "truncate", name));
    toggle.addEventListener("click", () => this.toggle(id, !isOpen));
    head.append(toggle);
    line.append(head, make("td", "num", String(group.rows.length)));
    for (const summary of group.columns) line.append(summaryCell(summary));
    return line;
  }

  private toggle(id: string, isOpen: boolean): void {
    if (isOpen) this.open.add(id);
    else this.open.delete(id);
    this.show(`group ${id}`);
  }

  /** Arrows go through the groups, to the right opens one, to the left closes it. */
  private key(event: KeyboardEvent): void {
    const toggles = [...this.body.querySelectorAll<HTMLElement>("[data-group]")];
    const at = toggles.indexOf(document.activeElement as HTMLElement);
    const id = toggles[at]?.dataset.group;
    if (id === undefined) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: toggles.length - 1 }[event.key];
    if (to !== undefined) toggles[Math.max(0, Math.min(toggles.length - 1, to))]?.focus();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      this.toggle(id, event.key === "ArrowRight");
    else return;
    event.preventDefault();
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
      this.groupChoice(),
      step("chevron-left", word("previous"), -1),
      place,
      step("chevron-right", word("next"), 1),
    );
    return tools;
  }

  private groupChoice(): HTMLElement {
    const select = make("select", "form-select form-select-sm");
    select.setAttribute("aria-label", word("groupRows"));
    select.append(new Option(word("noGroups"), ""), new Option(word("run"), RUN));
    for (const column of this.columns) select.append(new Option(column, column));
    select.value = this.isGrouped ? this.groupBy : "";
    select.dataset.focus = "group-by";
    select.addEventListener("change", () => {
      this.groupBy = select.value;
      this.head.keep({ groupBy: [this.groupBy].filter(Boolean) });
      this.open.clear();
      this.page = 0;
      this.sortBy = -1;
      this.show("group-by");
    });
    return select;
  }

  private headRow(): HTMLElement {
    const row = make("tr");
    const first = make("th", "", this.groupBy === RUN || !this.isGrouped ? word("run") : this.groupBy);
    first.scope = "col";
    row.append(first);
    if (this.isGrouped) row.append(this.sortHead(word("rowCount"), COUNT));
    for (const [place, column] of this.columns.entries()) row.append(this.sortHead(column, place));
    return row;
  }

  private sortHead(name: string, place: number): HTMLElement {
    const cell = make("th");
    cell.scope = "col";
    const isSorted = this.sortBy === place;
    if (isSorted) cell.ariaSort = this.isFalling ? "descending" : "ascending";
    const button = make("button", "panel-sort", `${name}${isSorted ? (this.isFalling ? " ↓" : " ↑") : ""}`);
    button.type = "button";
    button.dataset.focus = `sort ${place}`;
    button.addEventListener("click", () => {
      this.isFalling = isSorted && !this.isFalling;
      this.sortBy = place;
      this.show(`sort ${place}`);
    });
    cell.append(button);
    return cell;
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

/** A cell of a group: the mean, with the range to hover, or how many values there are. */
function summaryCell(summary: Summary): HTMLElement {
  if (summary.kind === "numbers") {
    const cell = make("td", "num end", cellText(summary.mean));
    cell.title = word("meanOf", { low: cellText(summary.low), high: cellText(summary.high) });
    return cell;
  }
  if (summary.kind === "mixed") return make("td", "muted", word("valuesIn", { n: summary.count }));
  const cell = make("td", "", summary.kind === "same" ? cellText(summary.value) : "");
  cell.title = cell.textContent ?? "";
  return cell;
}

/** The line of a row; below a group it stands in, with nothing in the column of counts. */
function rowOf({ run, cells }: Row, isInGroup: boolean): HTMLElement {
  const row = make("tr", `run-color-${run.color}${isInGroup ? " is-in-group" : ""}`);
  const name = make("th");
  name.scope = "row";
  name.append(make("i", "run-swatch"), make("span", "", run.name));
  row.append(name);
  if (isInGroup) row.append(make("td"));
  for (const cell of cells) {
    const shown = make("td", typeof cell === "number" ? "num end" : "", cellText(cell));
    shown.title = shown.textContent ?? "";
    row.append(shown);
  }
  return row;
}

export const makeTable: MakePanel = (...given) => new Tables(...given);
