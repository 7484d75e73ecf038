import { toast } from "../lib/announce";
import { one, throttle } from "../lib/dom";
import { refreshTimes } from "../lib/times";
import { word } from "../lib/words";
import { type Kept, type Spec, tellKept, type ViewKeeper } from "../views/state";
import { askJson, getText } from "./server";
import { linkQuery, type TableReply, type TableState, type Tree } from "./state";

/** The working state is saved at most this often, milliseconds. */
const SAVE_MS = 1200;
/** A table that takes longer than this is shown as waiting, milliseconds. */
const PATIENCE_MS = 250;

/**
 * The runs table of the page: what it shows and how to make it show something else.
 *
 * Events: `drawn` after new content, `state` after any change of state, `counted` when the number of runs changed.
 */
export class RunsTable extends EventTarget implements ViewKeeper {
  readonly root = one<HTMLElement>("[data-runs-table]");
  readonly scroll = one<HTMLElement>("[data-scroll]", this.root);
  readonly url = this.root.dataset.url ?? "";
  state: TableState;
  shown: string[] = [];
  tree: Tree | null = null;
  error: TableReply["error"] = null;
  total = 0;
  all = 0;
  private loading: AbortController | undefined;
  /** How often the state was changed, to know whether a save has the last of it. */
  private changes = 0;
  private readonly saveSoon = throttle(() => void this.save(), SAVE_MS);

  constructor() {
    super();
    const reply = this.readReply(this.root);
    this.state = reply.state;
    this.take(reply);
    addEventListener("pagehide", () => {
      if (this.isUnsaved) void this.save(true);
    });
    addEventListener("popstate", () => location.reload());
  }

  /** The element of the table; there is none when no run matches. */
  get table(): HTMLTableElement | null {
    return this.scroll.querySelector("table");
  }

  /** What asks the server for the runs that are shown, whichever part of them. */
  query(): URLSearchParams {
    const query = linkQuery(this.state);
    query.set("order", this.state.order);
    return query;
  }

  /** The address of one part of the table; `more` is added to the query. */
  partUrl(part: string, more: Record<string, string> = {}): string {
    const query = this.query();
    query.set("part", part);
    for (const column of this.shown) query.append("columns", column);
    for (const column of this.state.columns.pinned) query.append("pinned", column);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return `${this.url}?${query}`;
  }

  /** Change what is shown, and remember it. */
  async change(change: Partial<TableState>): Promise<void> {
    this.state = { ...this.state, ...change };
    this.keep();
    const places = ["filter", "search", "order", "group"].some((part) => part in change);
    await this.draw({ fromTop: places });
  }

  /** Change where columns stand. */
  async changeLayout(change: Partial<TableState["columns"]>): Promise<void> {
    const order = change.order ?? this.shown;
    await this.change({ columns: { ...this.state.columns, order, ...change } });
  }

  /** Remember the state without drawing: in the address, and on the server for the next visit. */
  keep(): void {
    const query = linkQuery(this.state);
    const view = new URLSearchParams(location.search).get("view");
    if (view) query.set("view", view);
    history.replaceState(null, "", query.size ? `${this.url}?${query}` : this.url);
    if (this.root.dataset.viewUrl) {
      this.changes += 1;
      this.root.dataset.unsaved = "";
      this.saveSoon();
    }
    this.dispatchEvent(new Event("state"));
  }

  /** The column a cell of a run or group stands in; "" for the boxes before them. */
  columnOf(cell: HTMLTableCellElement): string {
    return this.table?.tHead?.rows[0]?.cells[cell.cellIndex]?.dataset.column ?? "";
  }

  /** The head of a column that is shown. */
  headOf(column: string): HTMLTableCellElement | null {
    return this.scroll.querySelector(`thead th[data-column="${CSS.escape(column)}"]`);
  }

  /** The cell of a row in a column. */
  cellIn(row: HTMLTableRowElement, column: string): HTMLTableCellElement | undefined {
    return [...row.cells].find((cell) => this.columnOf(cell) === column);
  }

  /** Fetch the table again and put it in place of the one shown; keeps the place sideways, and the row unless `fromTop`. */
  async draw({ fromTop = false } = {}): Promise<void> {
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    const waiting = setTimeout(() => this.root.setAttribute("aria-busy", "true"), PATIENCE_MS);
    try {
      const text = await getText(this.layoutUrl(), loading.signal);
      this.show(text, fromTop);
    } catch (error) {
      if (loading.signal.aborted) return;
      this.showFailure();
      console.info("runs table", error);
    } finally {
      clearTimeout(waiting);
      if (this.loading === loading) this.root.removeAttribute("aria-busy");
    }
  }

  /** Say that the numbers in view are others now. */
  count(total: number, all: number): void {
    if (total === this.total && all === this.all) return;
    this.total = total;
    this.all = all;
    this.dispatchEvent(new Event("counted"));
  }

  private layoutUrl(): string {
    const query = this.query();
    query.set("part", "table");
    query.set("layout", JSON.stringify({ ...this.state.columns, crop: this.state.crop }));
    return `${this.url}?${query}`;
  }

  private show(text: string, fromTop: boolean): void {
    const { scrollTop, scrollLeft } = this.scroll;
    const drawn = document.createElement("template");
    drawn.innerHTML = text;
    const reply = this.readReply(drawn.content);
    this.scroll.replaceChildren(drawn.content);
    this.take(reply);
    refreshTimes(this.scroll);
    this.dispatchEvent(new Event("drawn"));
    this.scroll.scrollLeft = scrollLeft;
    this.scroll.scrollTop = fromTop ? 0 : scrollTop;
  }

  private take(reply: TableReply): void {
    const { shown, tree, error, total, all } = reply;
    Object.assign(this, { shown, tree, error, total, all });
    this.state = { ...this.state, columns: reply.state.columns };
    this.dispatchEvent(new Event("counted"));
  }

  private readReply(root: ParentNode): TableReply {
    return JSON.parse(one("#table-reply", root).textContent ?? "") as TableReply;
  }

  private showFailure(): void {
    const failure = one<HTMLTemplateElement>("template[data-failure]", this.root);
    this.scroll.replaceChildren(failure.content.cloneNode(true));
    one("[data-again]", this.scroll).addEventListener("click", () => void this.draw());
  }

  private get isUnsaved(): boolean {
    return this.root.dataset.unsaved !== undefined;
  }

  unsaved(): Spec {
    return { runs: this.state };
  }

  /** Keep at once what is not kept yet. */
  async flush(): Promise<void> {
    if (this.isUnsaved) await this.save();
  }

  private async save(leaving = false): Promise<void> {
    const url = this.root.dataset.viewUrl;
    if (!url) return;
    const { changes } = this;
    try {
      tellKept(await askJson<Kept>(url, "PATCH", { runs: this.state }, leaving));
      if (changes === this.changes) delete this.root.dataset.unsaved;
    } catch (error) {
      if (!leaving && error instanceof Error)
        toast(word("stateNotSaved", { reason: error.message }), "error");
    }
  }
}
