import { writeCropped } from "../lib/cropped";
import { make } from "../lib/dom";
import { word } from "../lib/words";
import type { DrawnLine } from "./frame";
import type { Isolation } from "./isolation";
import { widthOf } from "./letters";
import { textOf } from "./line-tip";
import { makeSwatch, paintSwatch } from "./swatch";

/** What a chip takes beside its name: swatch, value and gaps; pixels. */
const AROUND_NAME = 84;
/** However short or long names are. */
const NARROWEST = 148;
const WIDEST = 240;
/** How much of a name's end a chip keeps: names given by the server differ in it. */
const NAME_END = 6;
const MOST_ROWS = 2;
const MOST_CHIPS = 8;

export interface ChipActions {
  /** Other lines are picked. */
  changed(): void;
  /** A line is pointed at; null when that ends. */
  lift(line: DrawnLine | null): void;
  /** Show all lines; missing where nothing does. */
  more?: (() => void) | undefined;
}

interface Chip {
  element: HTMLButtonElement;
  swatch: HTMLElement;
  name: HTMLElement;
  value: HTMLElement;
}

/** The key of a small chart, below its plot: the first lines with their last values. A single line needs none. */
export class Chips {
  readonly box = make("div", "line-chips");
  private readonly chips: Chip[] = [];
  private readonly more = make("button", "line-chip line-chip-more num");
  private shown: readonly DrawnLine[] = [];

  constructor(
    private readonly isolation: Isolation,
    private readonly actions: ChipActions,
  ) {
    this.box.hidden = true;
    this.box.dataset.crop = "middle";
    this.more.type = "button";
    this.more.disabled = !actions.more;
    this.more.addEventListener("click", () => actions.more?.());
    this.box.addEventListener("pointerleave", () => actions.lift(null));
    this.box.addEventListener("focusout", () => actions.lift(null));
  }

  /** Write the lines into a box so many pixels wide. */
  show(lines: readonly DrawnLine[], unit: string, width: number): void {
    const { columns, shown, left } = fitting(lines, width);
    this.shown = shown;
    this.box.hidden = lines.length < 2;
    if (this.box.hidden) return;
    this.box.style.setProperty("--chip-columns", String(columns));
    while (this.chips.length < this.shown.length) this.chips.push(this.newChip(this.chips.length));
    for (const [at, line] of this.shown.entries()) this.write(this.chips[at] as Chip, line, unit);
    this.more.textContent = `+${left}`;
    this.more.setAttribute("aria-label", word("moreLines", { n: left }));
    const elements: HTMLElement[] = this.chips.slice(0, this.shown.length).map(({ element }) => element);
    if (left) elements.push(this.more);
    const isSame = elements.length === this.box.children.length && elements.at(-1) === this.box.lastChild;
    if (!isSame) this.box.replaceChildren(...elements);
  }

  private write({ element, swatch, name, value }: Chip, line: DrawnLine, unit: string): void {
    paintSwatch(swatch, line);
    writeCropped(name, line.label, NAME_END);
    element.title = line.label;
    const last = line.y.findLast((one) => !Number.isNaN(one));
    value.textContent = last === undefined ? "–" : textOf(last, unit);
    element.ariaLabel = `${line.label} ${value.textContent}`;
    element.classList.toggle("is-off", !this.isolation.isDrawn(line.id));
    element.setAttribute("aria-pressed", String(this.isolation.has(line.id)));
  }

  private newChip(at: number): Chip {
    const element = make("button", "line-chip");
    element.type = "button";
    const swatch = makeSwatch({ color: 0, dash: 0 });
    const [name, value] = [make("span", "crop line-chip-name"), make("span", "line-chip-value num")];
    element.append(swatch, name, " ", value);
    for (const event of ["pointerenter", "focus"] as const)
      element.addEventListener(event, () => this.actions.lift(this.shown[at] ?? null));
    element.addEventListener("click", (event) => {
      const line = this.shown[at];
      if (!line) return;
      this.isolation.pick(line.id, event);
      this.actions.changed();
    });
    return { element, swatch, name, value };
  }
}

/** The lines that have chips in a box of a width in pixels, the number of columns, and how many lines are left out. */
export function fitting<T extends Pick<DrawnLine, "label">>(
  lines: readonly T[],
  width: number,
): { columns: number; shown: readonly T[]; left: number } {
  const most = Math.max(1, Math.floor(width / widthFor(lines)));
  const room = Math.min(MOST_CHIPS, most * MOST_ROWS);
  const shown = lines.slice(0, lines.length > room ? room - 1 : room);
  const left = lines.length - shown.length;
  return { columns: Math.min(most, shown.length + (left ? 1 : 0)), shown, left };
}

function widthFor(lines: readonly Pick<DrawnLine, "label">[]): number {
  const longest = Math.max(0, ...lines.map(({ label }) => widthOf(label)));
  return Math.min(WIDEST, Math.max(NARROWEST, AROUND_NAME + longest));
}
