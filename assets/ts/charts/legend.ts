import { writeCropped } from "../lib/cropped";
import { make, makeIcon } from "../lib/dom";
import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import { bandText } from "./band";
import { type DrawnLine, nearest } from "./frame";
import type { Isolation } from "./isolation";
import { type Axis, placeText } from "./scale";
import { makeSwatch, paintSwatch } from "./swatch";

/** Lines from which on a search is worth its place. */
const MANY = 10;
/** Rows that are shown at once; a search finds the others. */
const MOST_ROWS = 200;

interface Entry {
  line: DrawnLine;
  /** The point whose value is told; -1 where the line does not reach. */
  at: number;
  value: number;
}

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
  private by: "value" | "name" = "value";
  private isFalling = true;
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
    const text = this.search.value.trim().toLowerCase();
    const found = this.lines.filter(({ label }) => label.toLowerCase().includes(text));
    const entries = found.map((line) => entryOf(line, this.x)).sort((a, b) => this.compared(a, b));
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

  private compared(a: Entry, b: Entry): number {
    const sign = this.isFalling ? -1 : 1;
    if (this.by === "name")
      return sign * a.line.label.localeCompare(b.line.label, undefined, { numeric: true });
    if (Number.isNaN(a.value) || Number.isNaN(b.value))
      return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value));
    return sign * (a.value - b.value);
  }

  private drawHead(): void {
    if (!this.head.childElementCount) {
      for (const by of ["name", "value"] as const) {
        const button = make("button", "panel-sort");
        button.type = "button";
        button.dataset.by = by;
        button.addEventListener("click", () => {
          this.isFalling = this.by === by ? !this.isFalling : by === "value";
          this.by = by;
          this.draw();
        });
        this.head.append(button);
      }
    }
    for (const button of this.head.querySelectorAll("button")) {
      const isBy = button.dataset.by === this.by;
      const text = `${word(button.dataset.by === "name" ? "legendName" : "legendValue")}${isBy ? (this.isFalling ? " ↓" : " ↑") : ""}`;
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

/** The point of a line at x, or its last one. */
function entryOf(line: DrawnLine, x: number | null): Entry {
  const at = placeAt(line, x);
  return { line, at, value: at < 0 ? Number.NaN : (line.y[at] as number) };
}

/** Where on a line x is; -1 where the line does not reach. */
function placeAt(line: DrawnLine, x: number | null): number {
  const last = line.x.length - 1;
  if (last < 0 || x === null) return last;
  const [first, end] = [line.x[0] as number, line.x[last] as number];
  const slack = (end - first) * 0.02;
  if (x < first - slack || x > end + slack) return -1;
  return nearest(line.x, x);
}
