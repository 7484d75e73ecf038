import { announce } from "../lib/announce";
import { make, makeIcon, makeIconButton, one } from "../lib/dom";
import { hasWords, wordsOf } from "../lib/matching";
import { word } from "../lib/words";
import type { Catalogue, ColumnInfo } from "./catalogue";
import { hide, layoutOf, move, pin, show } from "./header";
import { movedBy } from "./layout-changes";
import { NO_LAYOUT } from "./state";
import type { RunsTable } from "./table";

const PARTS = ["field", "config", "summary"] as const;
/** Rows of one section; who looks for more types a part of its name. */
const MOST = 200;

/** The *Columns* panel (RUN-21): search, show and hide several at once, pin, reorder by keyboard or buttons. */
export function enableColumnsPanel(table: RunsTable, catalogue: Catalogue): void {
  const panel = new ColumnsPanel(table, catalogue);
  const opener = one<HTMLButtonElement>("[data-columns-open]", table.root);
  opener.addEventListener("click", () => void panel.toggle(opener));
}

class ColumnsPanel {
  private readonly element = one<HTMLElement>("#columns-panel");
  private readonly search = one<HTMLInputElement>("[data-columns-search]", this.element);
  private readonly list = one<HTMLElement>("[data-columns-list]", this.element);
  private columns: ColumnInfo[] = [];

  constructor(
    private readonly table: RunsTable,
    private readonly catalogue: Catalogue,
  ) {
    this.search.addEventListener("input", () => this.draw());
    this.list.addEventListener("change", (event) => void this.switch(event.target as HTMLInputElement));
    this.list.addEventListener("click", (event) => void this.click(event.target as Element));
    this.list.addEventListener("keydown", (event) => void this.keyDown(event));
    this.enableDragging();
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    one("[data-columns-close]", this.element).addEventListener("click", () => this.close());
    one("[data-columns-reset]", this.element).addEventListener("click", () => void this.reset());
    this.table.addEventListener("drawn", () => {
      if (!this.element.hidden) this.draw();
    });
  }

  async toggle(opener: HTMLElement): Promise<void> {
    if (!this.element.hidden) {
      this.close();
      return;
    }
    this.columns = await this.catalogue.columns();
    this.element.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    this.draw();
    this.search.focus();
  }

  private close(): void {
    this.element.hidden = true;
    const opener = one<HTMLElement>("[data-columns-open]", this.table.root);
    opener.setAttribute("aria-expanded", "false");
    opener.focus();
  }

  private draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.focusKey;
    const { scrollTop } = this.list;
    const words = wordsOf(this.search.value);
    const matches = (column: ColumnInfo) => hasWords(column.name, words);
    const sections: HTMLElement[] = [];
    const shown = this.table.shown
      .map((name) => this.columns.find((column) => column.name === name))
      .filter((column) => column !== undefined)
      .filter(matches);
    if (shown.length) sections.push(this.section(word("shownColumns"), shown, true));
    for (const part of PARTS) {
      const found = this.columns.filter(
        (column) => column.part === part && column.name !== "name" && matches(column),
      );
      if (found.length) sections.push(this.section(word(`part_${part}`), found, false));
    }
    this.list.replaceChildren(...(sections.length ? sections : [make("p", "no-match", word("noColumns"))]));
    this.list.scrollTop = scrollTop;
    if (focused) this.list.querySelector<HTMLElement>(`[data-focus-key="${CSS.escape(focused)}"]`)?.focus();
  }

  private section(title: string, columns: ColumnInfo[], ordered: boolean): HTMLElement {
    const section = make("section", "columns-section");
    section.setAttribute("aria-label", title);
    const head = make("div", "columns-head");
    head.append(make("h3", "", title), make("span", "count", String(columns.length)));
    if (!ordered) head.append(...this.several(columns));
    const list = make("ul");
    list.append(
      ...columns.slice(0, MOST).map((column) => (ordered ? this.shownItem(column) : this.item(column))),
    );
    section.append(head, list);
    return section;
  }

  private several(columns: ColumnInfo[]): HTMLElement[] {
    const names = columns.map((column) => column.name);
    return (["showAll", "hideAll"] as const).map((act) => {
      const button = make("button", "link-button", word(act));
      button.type = "button";
      button.addEventListener("click", () => {
        void (act === "showAll" ? show(this.table, ...names) : hide(this.table, ...names));
      });
      return button;
    });
  }

  private item(column: ColumnInfo): HTMLElement {
    const item = make("li", "columns-item");
    const label = make("label");
    label.append(this.box(column, "box"), make("span", "truncate", column.label));
    label.title = column.name;
    item.append(label, make("span", "columns-type", word(`type_${column.type}`)));
    return item;
  }

  private box(column: ColumnInfo, place: string): HTMLInputElement {
    const box = make("input", "form-check-input");
    box.type = "checkbox";
    box.value = column.name;
    box.checked = this.table.shown.includes(column.name);
    box.dataset.focusKey = `${place} ${column.name}`;
    return box;
  }

  private shownItem(column: ColumnInfo): HTMLElement {
    const pinned = this.table.state.columns.pinned.includes(column.name);
    const item = make("li", "columns-item");
    item.dataset.name = column.name;
    const handle = make("button", "columns-handle");
    handle.type = "button";
    handle.dataset.focusKey = `move ${column.name}`;
    handle.setAttribute("aria-label", word("moveColumn", { column: column.label }));
    handle.title = word("moveColumn", { column: column.label });
    handle.append(makeIcon("grip-vertical"), make("span", "truncate", column.label));
    const pinButton = makeIconButton(
      pinned ? "pin-off" : "pin",
      word(pinned ? "unpin" : "pin", { column: column.label }),
    );
    pinButton.dataset.pin = pinned ? "" : "yes";
    pinButton.dataset.focusKey = `pin ${column.name}`;
    const box = this.box(column, "shown");
    box.setAttribute("aria-label", word("hide", { column: column.label }));
    const part = make("span", "columns-type", column.part === "field" ? "" : word(`part_${column.part}`));
    item.append(box, handle, part, ...this.arrows(column), pinButton);
    item.draggable = true;
    item.classList.toggle("is-pinned", pinned);
    return item;
  }

  private arrows(column: ColumnInfo): HTMLElement[] {
    return (["up", "down"] as const).map((way) => {
      const button = makeIconButton(`chevron-${way}`, word(`move_${way}`, { column: column.label }));
      button.dataset.way = way;
      button.dataset.focusKey = `${way} ${column.name}`;
      return button;
    });
  }

  private async switch(box: HTMLInputElement): Promise<void> {
    await (box.checked ? show(this.table, box.value) : hide(this.table, box.value));
  }

  private async click(target: Element): Promise<void> {
    const name = target.closest<HTMLElement>("[data-name]")?.dataset.name;
    const button = target.closest<HTMLElement>("button");
    if (!name || !button) return;
    if (button.dataset.pin !== undefined) await pin(this.table, name, button.dataset.pin === "yes");
    else if (button.dataset.way) await this.move(name, button.dataset.way === "up" ? -1 : 1);
  }

  private enableDragging(): void {
    let dragged = "";
    let over: HTMLElement | undefined;
    const show = (next: HTMLElement | undefined) => {
      over?.classList.remove("drop-here");
      over = next;
      over?.classList.add("drop-here");
    };
    const itemAt = (event: DragEvent) =>
      (event.target as Element).closest<HTMLElement>(".columns-item[data-name]") ?? undefined;
    this.list.addEventListener("dragstart", (event) => {
      dragged = itemAt(event)?.dataset.name ?? "";
    });
    this.list.addEventListener("dragover", (event) => {
      const item = itemAt(event);
      if (!dragged || !item) return;
      event.preventDefault();
      show(item);
    });
    this.list.addEventListener("dragend", () => show(undefined));
    this.list.addEventListener("drop", (event) => {
      event.preventDefault();
      const before = over?.dataset.name;
      show(undefined);
      if (before !== undefined) void move(this.table, dragged, before);
    });
  }

  private async keyDown(event: KeyboardEvent): Promise<void> {
    const handle = (event.target as Element).closest(".columns-handle");
    const name = handle?.closest<HTMLElement>("[data-name]")?.dataset.name;
    if (!name || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    await this.move(name, event.key === "ArrowUp" ? -1 : 1);
  }

  /** Move a shown column by one place, within the pinned ones or within the others. */
  private async move(name: string, by: number): Promise<void> {
    const moved = movedBy(layoutOf(this.table), name, by);
    if (!moved) return;
    const { change, place, count } = moved;
    await this.table.changeLayout(change);
    announce(word("columnMoved", { column: name, place, count }));
  }

  private async reset(): Promise<void> {
    await this.table.change({ columns: NO_LAYOUT });
  }
}
