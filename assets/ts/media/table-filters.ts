import { debounce, make, makeIcon, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";

/** Letters that are typed are asked for together, milliseconds. */
const PAUSE_MS = 250;
/** As artifacts/previews/tables/request.py names them, with what is shown; words are translated. */
const OPERATORS: Record<string, string> = {
  "=": "=",
  "!=": "≠",
  "<": "<",
  "<=": "≤",
  ">": ">",
  ">=": "≥",
  contains: "opContains",
  matches: "opMatches",
  empty: "opEmpty",
  "not empty": "opNotEmpty",
};
const WITHOUT_VALUE = new Set(["empty", "not empty"]);
/** Values of a column that are offered while one is typed. */
const MOST_OFFERED = 30;

let lists = 0;

/** Column, operator and value. */
export type Condition = [column: string, operator: string, value: string];

/** What is known of a column from the rows that are shown. */
export interface FilterColumn {
  name: string;
  isNumber: boolean;
  values: string[];
}

/** Conditions on columns of a table, one a line, all of which rows have to meet. */
export class TableFilters {
  readonly button = make("button", "btn btn-sm");
  readonly element = make("div", "panel-filters");
  private readonly lines = make("div", "panel-filter-lines");
  private readonly count = make("span", "count");
  private columns: FilterColumn[] = [];
  private asked = "[]";
  private readonly askSoon = debounce(() => this.ask(), PAUSE_MS);

  /** @param changed - Called when other rows are meant. */
  constructor(
    private readonly conditions: Condition[],
    private readonly changed: () => void,
  ) {
    const add = make("button", "btn btn-sm");
    add.type = "button";
    add.append(makeIcon("plus"), word("addCondition"));
    add.addEventListener("click", () => this.add());
    this.element.append(this.lines, add);
    this.element.hidden = true;
    this.button.type = "button";
    this.button.title = word("filterColumns");
    this.button.setAttribute("aria-label", word("filterColumns"));
    this.button.append(makeIcon("list-filter"), this.count);
    this.button.addEventListener("click", () => this.open(!this.isOpen));
    this.asked = this.where;
    this.tell();
  }

  /** The conditions that are whole, as the server reads them. */
  get where(): string {
    return JSON.stringify(this.whole);
  }

  private get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Those to keep. */
  get whole(): Condition[] {
    return wholeOf(this.conditions);
  }

  destroy(): void {
    this.askSoon.cancel();
  }

  /** Take the columns that there are; lines in which somebody types stay as they are. */
  offer(columns: FilterColumn[]): void {
    const isSame =
      columns.map(({ name }) => name).join("\n") === this.columns.map(({ name }) => name).join("\n");
    this.columns = columns;
    if (!isSame && this.isOpen) this.draw();
  }

  private open(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.tell();
    if (!isOpen) return;
    if (this.conditions.length) this.draw();
    else this.add();
  }

  private add(): void {
    const [first] = this.columns;
    if (!first) return;
    this.conditions.push([first.name, operatorFor(first), ""]);
    this.draw();
    this.lines.querySelector<HTMLElement>(":scope > :last-child select")?.focus();
  }

  private draw(): void {
    this.lines.replaceChildren(...this.conditions.map((condition) => this.line(condition)));
  }

  private line(condition: Condition): HTMLElement {
    const line = make("div", "panel-filter");
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", word("condition"));
    const names = new Set([condition[0], ...this.columns.map(({ name }) => name)]);
    const column = selectOf(
      word("column"),
      [...names].sort().map((name) => [name, name]),
      condition[0],
    );
    const operators = Object.entries(OPERATORS).map(([name, text]): [string, string] => [name, word(text)]);
    const operator = selectOf(word("comparison"), operators, condition[1]);
    const value = this.valueOf(condition);
    column.addEventListener("change", () => {
      condition[0] = column.value;
      condition[1] = operatorFor(this.columns.find(({ name }) => name === column.value));
      line.replaceWith(this.line(condition));
      this.ask();
    });
    operator.addEventListener("change", () => {
      condition[1] = operator.value;
      value.hidden = WITHOUT_VALUE.has(operator.value);
      this.ask();
    });
    const remove = makeIconButton("x", word("removeCondition", { condition: condition.join(" ") }));
    remove.addEventListener("click", () => this.remove(condition));
    line.append(column, operator, value, remove);
    return line;
  }

  private valueOf(condition: Condition): HTMLElement {
    const box = make("span", "panel-filter-value");
    const input = make("input", "form-control form-control-sm");
    input.value = condition[2];
    input.placeholder = word("value");
    input.setAttribute("aria-label", word("value"));
    const list = make("datalist");
    list.id = `filter-values-${++lists}`;
    input.setAttribute("list", list.id);
    input.addEventListener("focus", () => {
      const offered = offeredValues(this.columns, condition[0]);
      list.replaceChildren(...offered.map((text) => new Option(text)));
    });
    input.addEventListener("input", () => {
      condition[2] = input.value.trim();
      this.askSoon();
    });
    box.append(input, list);
    box.hidden = WITHOUT_VALUE.has(condition[1]);
    return box;
  }

  private remove(condition: Condition): void {
    this.conditions.splice(this.conditions.indexOf(condition), 1);
    if (this.conditions.length) this.draw();
    else this.open(false);
    if (!this.isOpen) this.button.focus();
    else this.lines.querySelector<HTMLElement>(":scope > :last-child select")?.focus();
    this.ask();
  }

  private ask(): void {
    this.tell();
    if (this.where === this.asked) return;
    this.asked = this.where;
    this.changed();
  }

  /** Say on the button how many conditions there are. */
  private tell(): void {
    const n = this.whole.length;
    this.count.textContent = String(n);
    this.count.hidden = !n;
    this.button.setAttribute("aria-expanded", String(this.isOpen));
  }
}

/** Conditions that have what their operator needs. */
export function wholeOf(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(([, operator, value]) => value !== "" || WITHOUT_VALUE.has(operator));
}

/** Values of a column that are offered, each once. */
export function offeredValues(columns: readonly FilterColumn[], column: string): string[] {
  const { values = [] } = columns.find(({ name }) => name === column) ?? {};
  return [...new Set(values)].filter(Boolean).slice(0, MOST_OFFERED);
}

/** What a new condition on a column begins with. */
export function operatorFor(column: FilterColumn | undefined): string {
  return column?.isNumber ? ">=" : "contains";
}

function selectOf(
  label: string,
  options: [value: string, text: string][],
  chosen: string,
): HTMLSelectElement {
  const select = make("select", "form-select form-select-sm");
  select.setAttribute("aria-label", label);
  select.append(...options.map(([value, text]) => new Option(text, value)));
  select.value = chosen;
  return select;
}
