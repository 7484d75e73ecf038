import { writeCropped } from "../lib/cropped";
import { make, makeIcon } from "../lib/dom";
import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import { bandText } from "./band";
import type { DrawnLine } from "./frame";
import type { Isolation } from "./isolation";
import { type Entry, entriesOf, type Order } from "./legend-entries";
import { type Axis, placeText } from "./scale";
import { makeSwatch, paintSwatch } from "./swatch";

/** Lines from which on a search is worth its place. */
const MANY = 10;
/** Rows that are shown at once; a search finds the others. */
const MOST_ROWS = 200;

/** All lines of a large chart with their values at the cursor, else their last: sorted, searched, isolated. */
export class Legend {
  private readonly head = make("div", "legend-head");
  private readonly search = make("input", "form-control form-control-sm");
  private readonly place = make("p", "legend-place num");
  private readonly list = make("ul", "legend-rows");
  private readonly rest = make("p", "legend-rest muted");
  private readonly rows = new Map<string, HTMLLIElement>();
  private lines: readonly DrawnLine[] = [];
  private axis: Axis = "step";
  private axisName = "";
  private unit = "";
  private x: number | null = null;
  private order: Order = { by: "value", isFalling: true };
  private drawing = 0;

  constructor(
    readonly box: HTMLElement,
    private readonly isolation: Isolation,
    /** Other lines are picked. */
    private readonly changed: () => void,
    /** A line is pointed at; null when that ends. */
    lift: (line: DrawnLine | null) => void,
  ) {
    this.search.type = "search";
    this.search.placeholder = word("legendSearch");
    this.search.setAttribute("aria-label", word("legendSearch"));
    this.search.addEventListener("input", () => this.draw());
    this.list.dataset.crop = "middle";
    this.list.addEventListener("click", (event) => this.pick(event));
    this.list.addEventListener("keydown", (event) => this.move(event));
    for (const name of ["pointerover", "focusin"] as const)
      this.list.addEventListener(name, ({ target }) => lift(this.lineOf(target as Element)));
    for (const name of ["pointerleave", "focusout"] as const)
      this.list.addEventListener(name, () => lift(null));
    box.replaceChildren(this.search, this.place, this.head, this.list, this.rest);
    box.hidden = false;
  }

  /** Take the lines that may be drawn, all of them. */
  show(lines: readonly DrawnLine[], axis: Axis, axisName: string, unit: string): void {
    this.lines = lines;
    this.unit = unit;
    this.axis = axis;
    this.axisName = axisName;
    this.drawSoon();
  }

  /** The cursor is at x; null when it left. */
  point(x: number | null): void {
    this.x = x;
    this.drawSoon();
  }

  destroy(): void {
    cancelAnimationFrame(this.drawing);
    this.box.replaceChildren();
    this.box.hidden = true;
  }

  private drawSoon(): void {
    if (!this.drawing) this.drawing = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    this.search.hidden = this.lines.length < MANY;
    this.place.textContent = this.x === null ? word("legendLast") : this.placeOf(this.x);
    this.drawHead();
    const entries = entriesOf(this.lines, this.x, this.search.value, this.order);
    const shown = entries.slice(0, MOST_ROWS);
    const kept = new Set(shown.map(({ line }) => line.id));
    for (const [id, row] of this.rows) {
      if (kept.has(id)) continue;
      row.remove();
      this.rows.delete(id);
    }
    for (const [at, entry] of shown.entries()) {
      const row = this.rowOf(entry);
      if (this.list.children[at] !== row) this.list.insertBefore(row, this.list.children[at] ?? null);
    }
    const left = entries.length - shown.length;
    this.rest.textContent = left ? word("more", { n: left }) : "";
  }

  private placeOf(x: number): string {
    return `${this.axisName} ${placeText(this.axis, this.axis === "step" ? Math.round(x) : x)}`.trim();
  }

  private drawHead(): void {
    if (!this.head.childElementCount) {
      for (const by of ["name", "value"] as const) {
        const button = make("button", "panel-sort");
        button.type = "button";
        button.dataset.by = by;
        button.addEventListener("click", () => {
          this.order = { by, isFalling: this.order.by === by ? !this.order.isFalling : by === "value" };
          this.draw();
        });
        this.head.append(button);
      }
    }
    const { by, isFalling } = this.order;
    for (const button of this.head.querySelectorAll("button")) {
      const isBy = button.dataset.by === by;
      const text = `${word(button.dataset.by === "name" ? "legendName" : "legendValue")}${isBy ? (isFalling ? " ↓" : " ↑") : ""}`;
      if (button.textContent !== text) button.textContent = text;
      button.setAttribute("aria-pressed", String(isBy));
    }
  }

  private rowOf({ line, at, value }: Entry): HTMLLIElement {
    const row = this.rows.get(line.id) ?? this.newRow(line);
    const [button, number] = [
      row.firstElementChild as HTMLElement,
      row.querySelector(".legend-value") as HTMLElement,
    ];
    const around = line.group ? bandText(line, at, this.unit) : "";
    const text = Number.isNaN(value) ? "–" : `${formatUnit(value, this.unit)} ${around}`.trim();
    if (number.textContent !== text) number.textContent = text;
    writeCropped(row.querySelector(".crop") as HTMLElement, line.label);
    button.title = line.label; // a group may have grown
    button.ariaLabel = `${line.label} ${text}`;
    paintSwatch(row.querySelector(".line-swatch") as HTMLElement, line);
    row.classList.toggle("is-off", !this.isolation.isDrawn(line.id));
    button.setAttribute("aria-pressed", String(this.isolation.has(line.id)));
    return row;
  }

  private newRow(line: DrawnLine): HTMLLIElement {
    const row = make("li");
    const button = make("button", "legend-row");
    button.type = "button";
    button.dataset.id = line.id;
    button.append(
      makeSwatch(line),
      make("span", "crop"),
      " ", // between what is read out
      make("span", "legend-value num"),
      makeIcon("check"),
    );
    row.append(button);
    this.rows.set(line.id, row);
    return row;
  }

  private lineOf(target: Element): DrawnLine | null {
    const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
    return this.lines.find((line) => line.id === id) ?? null;
  }

  private pick(event: MouseEvent): void {
    const line = this.lineOf(event.target as Element);
    if (!line) return;
    this.isolation.pick(line.id, event);
    this.draw();
    this.changed();
  }

  private move(event: KeyboardEvent): void {
    const rows = [...this.list.querySelectorAll<HTMLElement>("button")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
  }
}
