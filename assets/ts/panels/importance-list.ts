import { make } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { shortColumn } from "./columns";
import { correlationText, type KeyImportance, type Order, ordered, signOf } from "./importance-order";

export interface ImportanceReply {
  total: number;
  /** Runs looked at. */
  runs: number;
  /** Of these, how many have the metric. */
  known: number;
  keys: KeyImportance[];
  /** Parameters that were too many. */
  left_out: number;
}

const ORDERS: readonly Order[] = ["column", "importance", "spearman", "pearson", "count"];
const SEARCHED_FROM = 8;

/** Parameters with their importance as bars, to sort, to search and to choose one of. */
export class ImportanceList {
  readonly element = make("div", "importance");
  private readonly search = make("input", "form-control form-control-sm");
  private readonly table = make("table", "data-table importance-table");
  private readonly lines = this.table.createTBody();
  private readonly none = make("p", "chart-note");
  private readonly about = make("p", "importance-about");
  private order: Order = "importance";
  private isRising = false;
  private chosen = "";
  private reply: ImportanceReply | undefined;

  /** `tools` stand before the search; `choose` is called with a parameter's column. */
  constructor(
    tools: readonly HTMLElement[],
    private readonly choose: (column: string) => void,
  ) {
    this.search.type = "search";
    this.search.placeholder = word("searchKeys");
    this.search.setAttribute("aria-label", word("searchKeys"));
    this.search.addEventListener("input", () => this.fill());
    const bar = make("div", "panel-tools");
    bar.append(...tools, this.search);
    const scroll = make("div", "panel-table");
    this.table.prepend(this.head());
    scroll.append(this.table, this.none);
    this.element.append(bar, scroll, this.about);
  }

  show(reply: ImportanceReply): void {
    this.reply = reply;
    this.search.hidden = reply.keys.length < SEARCHED_FROM;
    const facts = [word("importanceKnown", { n: formatCount(reply.known), of: formatCount(reply.runs) })];
    if (reply.left_out) facts.push(word("keysLeftOut", { n: formatCount(reply.left_out) }));
    this.about.replaceChildren(...legend(), make("span", "", facts.join(" ")));
    this.fill();
  }

  /** Say why there is nothing to show. */
  say(text: string): void {
    this.none.textContent = text;
    this.none.hidden = false;
  }

  /** Go back to the parameter that was chosen last. */
  focus(column = this.chosen): void {
    const buttons = [...this.lines.querySelectorAll<HTMLElement>(".importance-key")];
    (buttons.find(({ dataset }) => dataset.column === column) ?? buttons[0])?.focus();
  }

  private head(): HTMLTableSectionElement {
    const head = make("thead");
    const row = head.insertRow();
    for (const order of ORDERS) {
      const cell = make("th", `importance-${order}`);
      cell.scope = "col";
      const button = make("button", "panel-sort", word(`importance_${order}`));
      button.type = "button";
      button.title = word(`importance_${order}_about`);
      button.addEventListener("click", () => {
        this.isRising = this.order === order ? !this.isRising : order === "column";
        this.order = order;
        this.fill();
      });
      cell.append(button);
      row.append(cell);
    }
    return head;
  }

  private fill(): void {
    const wanted = this.search.hidden ? "" : this.search.value.trim().toLowerCase();
    const keys = (this.reply?.keys ?? []).filter(({ column }) => column.toLowerCase().includes(wanted));
    const focused = this.lines.contains(document.activeElement) && document.activeElement;
    this.lines.replaceChildren(...ordered(keys, this.order, this.isRising).map((key) => this.rowOf(key)));
    if (focused instanceof HTMLElement) this.focus(focused.dataset.column);
    this.none.textContent = word("noKeyMatches");
    this.none.hidden = keys.length > 0;
    for (const [at, cell] of [...(this.table.tHead?.rows[0]?.cells ?? [])].entries()) {
      const isOrder = ORDERS[at] === this.order;
      cell.ariaSort = isOrder ? (this.isRising ? "ascending" : "descending") : null;
    }
  }

  private rowOf(key: KeyImportance): HTMLElement {
    const row = make("tr");
    const name = make("th");
    name.scope = "row";
    const button = make("button", "importance-key", shortColumn(key.column));
    button.type = "button";
    button.title = word("showScatterOf", { key: shortColumn(key.column) });
    button.dataset.column = key.column;
    button.addEventListener("click", () => {
      this.chosen = key.column;
      this.choose(key.column);
    });
    name.append(button);
    row.append(name, barCell(key), number(key.spearman, "spearman"), number(key.pearson, "pearson"));
    const count = make("td", "num end importance-count", formatCount(key.count));
    const missing = (this.reply?.known ?? 0) - key.count;
    if (missing > 0) count.title = word("keyMissing", { n: formatCount(missing) });
    row.append(count);
    return row;
  }
}

function barCell(key: KeyImportance): HTMLElement {
  const cell = make("td", "importance-cell");
  if (key.importance === null) {
    cell.append(make("span", "muted", word("tooManyValues", { n: formatCount(key.values) })));
    return cell;
  }
  const track = make("span", "importance-track");
  const bar = make("i", "importance-bar");
  bar.dataset.sign = signOf(key);
  bar.style.width = percent(key.importance);
  track.append(bar);
  const error = key.error ?? 0;
  if (error > 0.001) {
    const whisker = make("i", "importance-error");
    const [low, high] = [Math.max(0, key.importance - error), Math.min(1, key.importance + error)];
    whisker.style.insetInlineStart = percent(low);
    whisker.style.width = percent(high - low);
    track.append(whisker);
  }
  const text = make("span", "num importance-value", key.importance.toFixed(2));
  text.title = key.error === null ? "" : `± ${key.error.toFixed(3)}`;
  cell.append(track, text);
  return cell;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)}%`;
}

function number(value: number | null, kind: string): HTMLElement {
  return make("td", `num end importance-${kind}`, correlationText(value));
}

function legend(): HTMLElement[] {
  return ["up", "down", "none"].map((sign) => {
    const item = make("span", "importance-legend");
    const swatch = make("i", "importance-bar");
    swatch.dataset.sign = sign;
    item.append(swatch, make("span", "", word(`importance_${sign}`)));
    return item;
  });
}
