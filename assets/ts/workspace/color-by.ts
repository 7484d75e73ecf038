import { type Color, onRecolor, paint } from "../charts/palette";
import { make, throttle } from "../lib/dom";
import { word } from "../lib/words";
import { shortColumn } from "../panels/columns";
import type { Stage } from "../panels/panel";
import { type ColorKey, colorsByColumn, scaleColors } from "./column-colors";

/** Names of a legend; more are counted. */
const MOST_NAMES = 12;
const SCALE_STEPS = 16;
/** Values of running runs change: they are read again at most this often, milliseconds. */
const PAUSE_MS = 5000;

export interface ColorByOptions {
  column(): string;
  choose(column: string): void;
  stage: Pick<Stage, "offered" | "table">;
  /** The colors are others now; undefined: runs are colored one by one. */
  changed(colors: ReadonlyMap<string, Color> | undefined): void;
}

/** Colors runs by a column: the choice in the list's menu, what the column says, and the legend below the list. */
export class ColorBy {
  private readonly select: HTMLSelectElement | null;
  private readonly legend: HTMLElement | null;
  private known = "";

  constructor(
    root: ParentNode,
    private readonly options: ColorByOptions,
  ) {
    this.select = root.querySelector<HTMLSelectElement>("[data-color-by]");
    this.legend = root.querySelector<HTMLElement>("[data-color-legend]");
    this.select?.addEventListener("change", () => {
      options.choose(this.select?.value ?? "");
      void this.read();
    });
    this.select?.addEventListener("pointerdown", () => void this.offer(), { once: true });
    this.select?.addEventListener("focus", () => void this.offer(), { once: true });
    onRecolor(() => void this.read());
    this.showChoice();
  }

  /** Read the column again after a while. */
  readonly refresh = throttle(() => void this.read(), PAUSE_MS);

  /** Read the column and color by it. */
  async read(): Promise<void> {
    const column = this.options.column();
    this.showChoice();
    if (!column) {
      this.take("", undefined);
      return;
    }
    try {
      await Promise.resolve(); // while the page is made there is no stage yet
      const table = await this.options.stage.table([column]);
      if (column !== this.options.column()) return;
      const { colors, key } = colorsByColumn(table, column);
      this.take(JSON.stringify([...colors]), colors, key);
    } catch (error) {
      console.info("color by", error); // the next change asks again
    }
  }

  private take(now: string, colors: ReadonlyMap<string, Color> | undefined, key?: ColorKey): void {
    this.showLegend(key);
    if (now === this.known) return;
    this.known = now;
    this.options.changed(colors);
  }

  /** A kept column is a choice before all others are read. */
  private showChoice(): void {
    const { select } = this;
    const column = this.options.column();
    if (!select) return;
    if (column && ![...select.options].some(({ value }) => value === column))
      select.append(new Option(shortColumn(column), column));
    select.value = column;
  }

  private async offer(): Promise<void> {
    const { columns } = await this.options.stage.offered();
    const { select } = this;
    if (!select) return;
    const first = select.options[0];
    const parts = ["field", "config", "summary"].map((part) => {
      const group = make("optgroup");
      group.label = word(`part_${part}`);
      const own = columns.filter((name) => partOf(name) === part);
      group.append(...own.map((name) => new Option(shortColumn(name), name)));
      return group;
    });
    select.replaceChildren(...(first ? [first] : []), ...parts.filter(({ children }) => children.length));
    this.showChoice();
  }

  private showLegend(key: ColorKey | undefined): void {
    const { legend } = this;
    if (!legend) return;
    legend.hidden = !key;
    if (!key) return;
    const title = make("div", "color-legend-title truncate", shortColumn(this.options.column()));
    legend.replaceChildren(title, key.range ? scale(key.range) : names(key));
  }
}

/** Where a column is offered: among fields, or keys of config or summary. */
export function partOf(name: string): string {
  const root = name.split(".")[0] ?? "";
  return name.includes(".") && (root === "config" || root === "summary") ? root : "field";
}

function scale({ low, high }: { low: string; high: string }): HTMLElement {
  const line = make("div", "color-scale");
  const strip = make("span", "color-strip");
  strip.style.background = `linear-gradient(90deg, ${scaleColors(SCALE_STEPS).join(", ")})`;
  line.append(make("span", "num", low), strip, make("span", "num", high));
  return line;
}

function names(key: ColorKey): HTMLElement {
  const list = make("ul", "color-names");
  const items = key.names.slice(0, MOST_NAMES).map(({ text, color }) => {
    const item = make("li");
    item.append(make("span", "run-swatch"), make("span", "truncate", text));
    paint(item, color);
    return item;
  });
  const more = key.names.length - items.length;
  list.append(...items, ...(more > 0 ? [make("li", "muted", `+${more}`)] : []));
  return list;
}
