import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { between } from "../lib/lists";
import { word } from "../lib/words";
import { ChosenRuns } from "./chosen-runs";
import { askJson } from "./server";
import type { RunsTable } from "./table";

function uidOf(box: HTMLInputElement): string | undefined {
  return box.closest("tr")?.dataset.uid;
}

/** Which runs are chosen: some by their id, or all that match but some. Event: `changed`. */
export class Selection extends EventTarget {
  private readonly runs = new ChosenRuns();
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
      if (this.isEverything && query !== now.toString()) this.clear(); // "all" meant other runs
      query = now.toString();
    });
  }

  /** How many are chosen. */
  get size(): number {
    return this.runs.size(this.table.total);
  }

  get isEverything(): boolean {
    return this.runs.isEverything;
  }

  /** The ids, when they were chosen one by one. */
  get uids(): string[] {
    return this.runs.uids;
  }

  has(uid: string): boolean {
    return this.runs.has(uid);
  }

  /** What names the chosen runs to the server. */
  toParams(): URLSearchParams {
    return this.runs.toParams(this.table.query());
  }

  /** The expression that the chosen runs, and no others, meet beside the search. */
  toFilter(): string {
    return this.runs.toFilter(this.table.state.filter);
  }

  clear(): void {
    this.runs.clear();
    this.redraw();
  }

  selectAll(): void {
    this.runs.chooseAll();
    this.redraw();
  }

  toggle(uid: string, chosen = !this.has(uid)): void {
    this.runs.set(uid, chosen);
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
    const range = from < 0 ? [box] : between(boxes, from, to);
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
      for (const uid of uids) this.runs.set(uid, chosen);
    } catch {
      toast(word("requestFailed"), "error");
    }
    this.redraw();
  }

  private set(box: HTMLInputElement, chosen: boolean): void {
    const uid = uidOf(box);
    if (uid !== undefined) this.runs.set(uid, chosen);
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
      const { isChecked, isPartly } = this.runs.boxOf(uids);
      box.checked = isChecked;
      box.indeterminate = isPartly;
    }
    if (this.table.table) {
      const all = one<HTMLInputElement>("[data-pick-all]", this.table.scroll);
      const { isChecked, isPartly } = this.runs.boxOfAll(this.table.total);
      all.checked = isChecked;
      all.indeterminate = isPartly;
    }
    this.dispatchEvent(new Event("changed"));
  }
}
