import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { writeTree } from "./filter/tree";
import { askJson } from "./server";
import type { RunsTable } from "./table";

function uidOf(box: HTMLInputElement): string | undefined {
  return box.closest("tr")?.dataset.uid;
}

/** Which runs are chosen: some by their id, or all that match but some. Event: `changed`. */
export class Selection extends EventTarget {
  private readonly picked = new Set<string>();
  /** Whether every run that matches is chosen, but those in `picked`. */
  private everything = false;
  /** The run whose box was used last; by its id, for live updates draw rows anew. */
  private last: string | undefined;
  /** The runs of groups whose box was used, by path. */
  private readonly groups = new Map<string, string[]>();

  constructor(private readonly table: RunsTable) {
    super();
    table.scroll.addEventListener("click", (event) => this.clicked(event));
    table.addEventListener("drawn", () => this.redraw());
    table.addEventListener("filled", () => this.redraw());
    table.addEventListener("counted", () => this.dispatchEvent(new Event("changed")));
    let query = table.query().toString();
    table.addEventListener("state", () => {
      const now = table.query();
      now.delete("order");
      now.delete("group");
      if (query !== now.toString()) this.groups.clear();
      if (this.everything && query !== now.toString()) this.clear(); // "all" meant other runs
      query = now.toString();
    });
  }

  /** How many are chosen. */
  get size(): number {
    return this.everything ? Math.max(0, this.table.total - this.picked.size) : this.picked.size;
  }

  get isEverything(): boolean {
    return this.everything;
  }

  /** The ids, when they were chosen one by one. */
  get uids(): string[] {
    return this.everything ? [] : [...this.picked];
  }

  has(uid: string): boolean {
    return this.picked.has(uid) !== this.everything;
  }

  /** What names the chosen runs to the server (contract "Acts on many runs"). */
  toParams(): URLSearchParams {
    const ids = [...this.picked].join(","); // in one field: a form takes no more than 1,000
    if (!this.everything) return new URLSearchParams({ uid: ids });
    const params = this.table.query();
    params.set("all", "1");
    if (ids) params.set("except", ids);
    return params;
  }

  /** The expression that the chosen runs, and no others, meet beside the search. */
  toFilter(): string {
    const ids = [...this.picked];
    if (!this.everything) return writeTree({ column: "id", operator: "in", value: ids });
    const { filter } = this.table.state;
    if (!ids.length) return filter;
    const others = writeTree({ column: "id", operator: "not in", value: ids });
    return filter ? `(${filter}) and ${others}` : others;
  }

  clear(): void {
    this.everything = false;
    this.picked.clear();
    this.redraw();
  }

  selectAll(): void {
    this.everything = true;
    this.picked.clear();
    this.redraw();
  }

  toggle(uid: string, chosen = !this.has(uid)): void {
    if (chosen !== this.everything) this.picked.add(uid);
    else this.picked.delete(uid);
    this.redraw();
  }

  private clicked(event: MouseEvent): void {
    const cell = (event.target as Element).closest(".pick");
    const box = cell?.querySelector<HTMLInputElement>("input[type=checkbox]");
    if (!box) return;
    if (event.target !== box) box.checked = !box.checked; // the whole cell is the target
    if (box.dataset.pickGroup !== undefined) {
      void this.pickGroup(box);
      return;
    }
    if (box.dataset.pickAll !== undefined) {
      if (this.size) this.clear();
      else this.selectAll();
      return;
    }
    const boxes = this.boxes();
    const from = event.shiftKey ? boxes.findIndex((each) => uidOf(each) === this.last) : -1;
    const to = boxes.indexOf(box);
    const range = from < 0 ? [box] : boxes.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const each of range) this.set(each, box.checked);
    this.last = uidOf(box);
    this.redraw();
  }

  /** Choose all runs of a group, over all its pages, or let them go. */
  private async pickGroup(box: HTMLInputElement): Promise<void> {
    const path = box.closest<HTMLElement>("tbody")?.dataset.path ?? "";
    const chosen = box.checked;
    try {
      const { uids } = await askJson<{ uids: string[] }>(this.table.partUrl("uids", { path }));
      this.groups.set(path, uids);
      for (const uid of uids) this.mark(uid, chosen);
    } catch {
      toast(word("requestFailed"), "error");
    }
    this.redraw();
  }

  private set(box: HTMLInputElement, chosen: boolean): void {
    const uid = uidOf(box);
    if (uid !== undefined) this.mark(uid, chosen);
  }

  private mark(uid: string, chosen: boolean): void {
    if (chosen !== this.everything) this.picked.add(uid);
    else this.picked.delete(uid);
  }

  private boxes(): HTMLInputElement[] {
    return [...this.table.scroll.querySelectorAll<HTMLInputElement>("[data-pick]")];
  }

  private redraw(): void {
    for (const box of this.boxes()) {
      const row = box.closest("tr");
      const chosen = this.has(row?.dataset.uid ?? "");
      box.checked = chosen;
      row?.classList.toggle("chosen", chosen);
    }
    for (const box of this.table.scroll.querySelectorAll<HTMLInputElement>("[data-pick-group]")) {
      const uids = this.groups.get(box.closest<HTMLElement>("tbody")?.dataset.path ?? "") ?? [];
      const count = uids.filter((uid) => this.has(uid)).length;
      box.checked = uids.length ? count === uids.length : this.everything && !this.picked.size;
      box.indeterminate = count > 0 && !box.checked;
    }
    if (this.table.table) {
      const all = one<HTMLInputElement>("[data-pick-all]", this.table.scroll);
      all.checked = this.size > 0 && this.size === this.table.total;
      all.indeterminate = this.size > 0 && !all.checked;
    }
    this.dispatchEvent(new Event("changed"));
  }
}
