import { type Color, paint } from "../charts/palette";
import { debounce, make, makeIcon, makeIconButton } from "../lib/dom";
import { formatCount } from "../lib/format";
import { getJson } from "../lib/http";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { enlargedIn, plain } from "./cell-media";
import { JOIN, type Narrowed, narrowedQuery, pageQuery, RUN } from "./paged-request";
import {
  columnsOf,
  columnsShown,
  type Group,
  idOf,
  isNumeric,
  plainColumns,
  type Reply,
  type Row,
  rangeText,
  rowsIn,
  sortOf,
} from "./paged-wire";
import { PictureSize } from "./picture-size";
import { type CellStage, cellOf, meanCell } from "./table-cells";
import { type Condition, TableFilters } from "./table-filters";

/** Letters that are typed are asked for together, milliseconds. */
const PAUSE_MS = 250;
export interface Options {
  /** Where pages are, with a query that says which tables. */
  url: string;
  /** How runs are shown, where rows say whose they are. */
  runOf?: (uid: string) => { name: string; color: Color };
  /** A column, `RUN`, `JOIN` and a column, or "" for none. */
  groupBy?: string;
  grouped?(groupBy: string): void;
  /** Conditions that rows have to meet. */
  where?: Condition[];
  filtered?(where: Condition[]): void;
  /** Where viewers of figures, molecules and models are, added to. */
  viewers: string;
  /** How high pictures are, pixels. */
  pictureSize?: number | undefined;
  pictured?(size: number): void;
  counted?(total: number): void;
  /** The first of the tools above the table. */
  first?: HTMLElement;
  /** Of the tables that are read first; undefined for the newest. */
  step?: number | undefined;
  /** Hear at which steps there are tables. */
  stepsFound?(steps: number[]): void;
}

/** Logged tables, page by page from the server, which sorts, searches and groups them. */
export class PagedTable {
  private reply: Reply | undefined;
  private find = "";
  private sort = "";
  private offset = 0;
  private step: number | undefined;
  private groupBy: string;
  private readonly open = new Map<string, Row[]>();
  private readonly cells: CellStage;
  private asking: AbortController | undefined;
  private readonly searchSoon = debounce(() => this.ask({ find: this.search.value.trim() }), PAUSE_MS);
  private readonly search = make("input", "form-control form-control-sm");
  private readonly filters: TableFilters;
  private readonly choice = make("select", "form-select form-select-sm");
  private readonly pages = make("span", "panel-pages");
  private readonly notes = make("div", "panel-table-notes");
  private readonly rows = make("div", "panel-table");
  private readonly size: PictureSize;

  constructor(
    private readonly box: HTMLElement,
    private readonly options: Options,
  ) {
    this.groupBy = options.groupBy ?? "";
    this.step = options.step;
    this.search.type = "search";
    this.search.placeholder = word("filterRows");
    this.search.setAttribute("aria-label", word("filterRows"));
    this.search.addEventListener("input", this.searchSoon);
    this.filters = new TableFilters(structuredClone(options.where ?? []), () => {
      this.options.filtered?.(this.filters.whole);
      this.ask({});
    });
    this.choice.setAttribute("aria-label", word("groupRows"));
    this.choice.addEventListener("change", () => {
      this.options.grouped?.(this.choice.value);
      this.ask({ groupBy: this.choice.value, sort: "" });
    });
    this.size = new PictureSize(this.rows, options.pictureSize, (size) => options.pictured?.(size));
    this.cells = {
      viewers: options.viewers,
      column: (at) =>
        this.reply ? rowsIn(this.reply, this.open).flatMap(({ cells }) => enlargedIn(cells[at])) : [],
    };
    this.rows.tabIndex = 0; // it scrolls
    this.rows.addEventListener("keydown", (event) => this.key(event));
  }

  /** Read the page that is shown, and at which steps there are tables. Rejects when it could not be read. */
  read(): Promise<void> {
    return this.readPage(this.options.stepsFound ? { with_steps: "1" } : {});
  }

  private async readPage(more: Record<string, string> = {}): Promise<void> {
    this.asking?.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    this.rows.setAttribute("aria-busy", "true");
    try {
      const reply = await getJson<Reply>(this.address({ ...this.asked(), ...more }, this.offset), signal);
      this.reply = reply;
      this.open.clear();
      this.draw(reply);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (!signal.aborted) this.rows.removeAttribute("aria-busy");
    }
  }

  destroy(): void {
    this.searchSoon.cancel();
    this.filters.destroy();
    this.asking?.abort();
  }

  /** Show the tables of another step, or the newest ones. */
  moveTo(step: number | undefined): void {
    this.step = step;
    this.ask({});
  }

  /** The page that is shown, its head first. */
  texts(): string[][] {
    const { reply } = this;
    if (!reply) return [];
    const runOf = reply.heads ? undefined : this.options.runOf;
    const head = runOf ? [word("run"), ...columnsShown(reply)] : columnsShown(reply);
    const lines = reply.rows.map(({ run, cells }) =>
      (runOf ? [runOf(run).name, ...cells] : cells).map(plain),
    );
    return [head, ...lines];
  }

  /** Which rows are meant, for a file of all of them. */
  get narrowed(): Record<string, string> {
    return narrowedQuery(this.meant);
  }

  private get meant(): Narrowed {
    const { find, step, groupBy } = this;
    return { find, where: this.filters.where, step, groupBy };
  }

  /** Go to the first page of something else. */
  private ask(part: { find?: string; sort?: string; groupBy?: string; offset?: number }): void {
    this.find = part.find ?? this.find;
    this.sort = part.sort ?? this.sort;
    this.groupBy = part.groupBy ?? this.groupBy;
    this.offset = part.offset ?? 0;
    this.readPage().catch(() => this.say(word("tableFailed")));
  }

  private asked(): Record<string, string> {
    return pageQuery(this.meant, this.sort);
  }

  private address(asked: Record<string, string>, offset: number): string {
    return `${this.options.url}&${new URLSearchParams({ ...asked, offset: String(offset) })}`;
  }

  private say(text: string): void {
    this.notes.append(make("p", "chart-note", text));
  }

  private draw(reply: Reply): void {
    this.options.counted?.(reply.total ?? reply.rows.length);
    if (reply.steps) this.options.stepsFound?.(reply.steps);
    if (reply.columns.length) this.filters.offer(columnsOf(reply));
    this.notes.replaceChildren();
    for (const { run, problem } of reply.tables)
      if (problem) this.say(this.options.runOf ? `${this.options.runOf(run).name}: ${problem}` : problem);
    if (reply.problem) this.say(reply.problem);
    if (!reply.tables.length) this.say(word("noRows"));
    this.drawChoice(reply);
    this.drawPages(reply);
    this.drawRows(reply);
    if (this.rows.isConnected) return;
    const tools = make("div", "panel-tools");
    if (this.options.first) tools.append(this.options.first);
    const hasColumns = reply.columns.length > 0;
    if (hasColumns)
      tools.append(this.search, this.filters.button, this.choice, this.size.element, this.pages);
    const parts = hasColumns ? [this.filters.element, this.notes, this.rows] : [this.notes];
    this.box.replaceChildren(tools, ...parts);
  }

  private drawChoice(reply: Reply): void {
    this.choice.replaceChildren(new Option(word("noGroups"), ""));
    if (this.options.runOf) this.choice.append(new Option(word("run"), RUN));
    const columns = plainColumns(reply);
    for (const column of columns) this.choice.append(new Option(column, column));
    if (this.options.runOf && reply.tables.length > 1) {
      const joins = make("optgroup");
      joins.label = word("joinRuns");
      for (const column of columns) joins.append(new Option(word("joinBy", { column }), JOIN + column));
      this.choice.append(joins);
    }
    this.choice.value = this.groupBy;
    if (this.choice.selectedIndex < 0) this.choice.value = "";
  }

  private drawPages(reply: Reply): void {
    const step = (icon: string, text: string, offset: number | null | undefined) => {
      const button = makeIconButton(icon, text);
      button.disabled = offset === null || offset === undefined;
      button.addEventListener("click", () => this.ask({ offset: offset ?? 0 }));
      return button;
    };
    const place = make("span", "muted num", rangeText(reply, this.offset));
    this.pages.replaceChildren(
      step("chevron-left", word("previous"), reply.previous),
      place,
      step("chevron-right", word("next"), reply.next),
    );
    const [only, ...others] = reply.tables;
    const hasLink = only?.page && !others.length;
    this.pages.hidden = !hasLink && (reply.previous ?? reply.next ?? null) === null;
    if (!hasLink) return;
    const link = make("a", "icon-button");
    link.href = only.page;
    link.title = word("openFile");
    link.setAttribute("aria-label", word("openFile"));
    link.append(makeIcon("file-text"));
    this.pages.append(link);
  }

  private drawRows(reply: Reply): void {
    const hadFocus = (document.activeElement as HTMLElement | null)?.dataset.focus;
    const table = make("table", "data-table");
    table.createTHead().append(this.headRow(reply));
    const body = table.createTBody();
    if (reply.groups) for (const group of reply.groups) body.append(...this.groupLines(reply, group));
    else for (const row of reply.rows) body.append(this.rowLine(reply, row, false));
    if (!body.rows.length && reply.columns.length) {
      const cell = make("td", "muted", word("noRows"));
      cell.colSpan = reply.columns.length + 1;
      body.insertRow().append(cell);
    }
    this.rows.replaceChildren(table);
    this.size.offer();
    if (hadFocus) this.rows.querySelector<HTMLElement>(`[data-focus="${CSS.escape(hadFocus)}"]`)?.focus();
  }

  private headRow(reply: Reply): HTMLElement {
    const row = make("tr");
    const { groups, group = "" } = reply;
    if (groups) row.append(this.headCell(this.groupBy === RUN ? word("run") : group, group));
    else if (this.options.runOf && !reply.heads)
      row.append(this.headCell(word("run"), reply.columns[0] ?? ""));
    if (groups) row.append(this.headCell(word("rowCount"), ""));
    for (const [at, column] of columnsShown(reply).entries()) {
      const { run = "", name = column } = reply.heads?.[at] ?? {};
      const cell = this.headCell(name, column);
      if (run) cell.append(this.owner(run));
      cell.classList.toggle("end", isNumeric(reply, column, at));
      row.append(cell);
    }
    return row;
  }

  /** A head that sorts. */
  private headCell(name: string, column: string): HTMLElement {
    const cell = make("th");
    cell.scope = "col";
    const { order, next } = sortOf(this.sort, column);
    if (order) cell.ariaSort = order;
    const button = make("button", "panel-sort", name);
    button.type = "button";
    button.dataset.focus = `sort ${column}`;
    if (order) button.append(makeIcon(order === "descending" ? "arrow-down" : "arrow-up"));
    button.addEventListener("click", () => this.ask({ sort: next }));
    cell.append(button);
    return cell;
  }

  /** Whose a column is, where the tables of runs are joined. */
  private owner(uid: string): HTMLElement {
    const { name, color } = this.options.runOf?.(uid) ?? { name: uid, color: 0 };
    const owner = make("span", "panel-table-owner truncate");
    owner.title = name;
    paint(owner, color);
    owner.append(make("i", "run-swatch"), name);
    return owner;
  }

  private rowLine(reply: Reply, { run, cells }: Row, isInGroup: boolean): HTMLElement {
    const line = make("tr", isInGroup ? "is-in-group" : "");
    if (this.options.runOf && !reply.heads) line.append(this.runCell(reply, run));
    else if (isInGroup) line.append(make("th"));
    if (isInGroup) line.append(make("td"));
    line.append(...cells.map((cell, at) => cellOf(cell, at, this.cells)));
    return line;
  }

  private runCell(reply: Reply, uid: string): HTMLElement {
    const { name, color } = this.options.runOf?.(uid) ?? { name: uid, color: 0 };
    const cell = make("th");
    paint(cell, color);
    cell.scope = "row";
    const page = reply.tables.find(({ run }) => run === uid)?.page;
    const text = make(page ? "a" : "span", "", name);
    if (page && text instanceof HTMLAnchorElement) {
      text.href = page;
      text.title = word("openFile");
    }
    cell.append(make("i", "run-swatch"), text);
    return cell;
  }

  private groupLines(reply: Reply, group: Group): HTMLElement[] {
    const id = idOf(group);
    const inside = this.open.get(id);
    const line = make("tr", "panel-table-group");
    const head = make("th");
    head.scope = "row";
    const toggle = make("button", "panel-toggle");
    toggle.type = "button";
    toggle.dataset.focus = `group ${id}`;
    toggle.setAttribute("aria-expanded", String(inside !== undefined));
    const name = (group.run && this.options.runOf?.(group.run).name) || group.text || "–";
    toggle.append(makeIcon("chevron-right"), make("span", "truncate", name));
    toggle.addEventListener("click", () => void this.toggle(group, !this.open.has(id)));
    head.append(toggle);
    line.append(head, make("td", "num", formatCount(group.count)));
    for (const column of columnsShown(reply)) line.append(meanCell(entryOf(group.numbers, column)));
    if (!inside) return [line];
    const lines = [line, ...inside.map((row) => this.rowLine(reply, row, true))];
    if (inside.length < group.count) lines.push(this.moreLine(reply, group, inside.length));
    return lines;
  }

  private moreLine(reply: Reply, group: Group, shown: number): HTMLElement {
    const line = make("tr", "is-in-group");
    const cell = make("td");
    cell.colSpan = reply.columns.length + 1;
    const more = make("button", "btn btn-sm", word("moreItems", { n: formatCount(group.count - shown) }));
    more.type = "button";
    more.addEventListener("click", () => void this.readGroup(group, shown));
    cell.append(more);
    line.append(cell);
    return line;
  }

  private async toggle(group: Group, isOpen: boolean): Promise<void> {
    if (isOpen) await this.readGroup(group, 0);
    else {
      this.open.delete(idOf(group));
      if (this.reply) this.drawRows(this.reply);
    }
  }

  /** Read rows of a group, in the order of the file. */
  private async readGroup(group: Group, offset: number): Promise<void> {
    const { reply } = this;
    const operator = group.is_empty ? "empty" : "=";
    const asked = { ...this.narrowed, column: reply?.group ?? "", op: operator, value: group.text };
    const page = await getJson<Reply>(this.address(asked, offset)).catch(() => null);
    if (!page) this.say(word("tableFailed"));
    if (!page || !reply || reply !== this.reply) return; // another page was asked for since
    this.open.set(idOf(group), [...(this.open.get(idOf(group)) ?? []).slice(0, offset), ...page.rows]);
    this.drawRows(reply);
  }

  /** Arrows go through the groups, to the right opens one, to the left closes it. */
  private key(event: KeyboardEvent): void {
    const toggles = [...this.rows.querySelectorAll<HTMLElement>(".panel-toggle")];
    const at = toggles.indexOf(document.activeElement as HTMLElement);
    const group = this.reply?.groups?.[at];
    if (!group) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: toggles.length - 1 }[event.key];
    if (to !== undefined) toggles[Math.max(0, Math.min(toggles.length - 1, to))]?.focus();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      void this.toggle(group, event.key === "ArrowRight");
    else return;
    event.preventDefault();
  }
}
