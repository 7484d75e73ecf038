import { make, makeIcon, makeIconButton, one } from "../../lib/dom";
import { word } from "../../lib/words";
import type { Catalogue } from "../catalogue";
import { Combobox } from "../combobox";
import { openAt } from "../popup";
import type { RunsTable } from "../table";
import { columnOptions, operatorsOf } from "./complete";
import { type Draft, draftOf, emptyRow, lastTyped, type Row, textOf, withLast } from "./draft";
import { plainText, WITH_LIST, WITHOUT_VALUE } from "./tree";

/** The filter builder (RUN-22): rows and bracket groups that write the same text as the typed expression. */
export function enableBuilder(table: RunsTable, catalogue: Catalogue): void {
  const opener = one<HTMLButtonElement>("[data-builder-open]", table.root);
  const panel = one<HTMLElement>("#filter-builder");
  const place = one<HTMLElement>("[data-builder]", panel);
  const builder = new Builder(table, catalogue, place);
  opener.addEventListener("click", () => {
    void catalogue.columns().then(() => {
      builder.start();
      openAt(panel, opener, { focus: false });
      builder.focusFirst();
    });
  });
  one("[data-builder-clear]", panel).addEventListener("click", () => {
    void table.change({ filter: "" }).then(() => builder.start());
  });
}

class Builder {
  private draft: Draft = { join: "all", not: false, parts: [] };

  constructor(
    private readonly table: RunsTable,
    private readonly catalogue: Catalogue,
    private readonly place: HTMLElement,
  ) {}

  start(): void {
    this.draft = draftOf(this.table.tree);
    if (!this.draft.parts.length) this.draft.parts.push(emptyRow());
    this.draw();
  }

  /** Go to the first column that is still to be named, or to where one adds a condition. */
  focusFirst(): void {
    const columns = [...this.place.querySelectorAll<HTMLInputElement>("[data-column-field]")];
    const unnamed = columns.find((column) => !column.value);
    (unnamed ?? one<HTMLElement>(".condition-group > .condition-foot button", this.place)).focus();
  }

  private draw(): void {
    this.place.replaceChildren(this.group(this.draft));
  }

  private group(draft: Draft, parent?: Draft): HTMLElement {
    const box = make("div", parent ? "condition-group nested" : "condition-group");
    box.setAttribute("role", "group");
    for (const [index, part] of draft.parts.entries()) {
      const line = make("div", "condition");
      line.append(
        this.joiner(draft, index),
        "parts" in part ? this.group(part, draft) : this.row(part, draft),
      );
      if ("parts" in part) line.append(this.removal(part, draft));
      box.append(line);
    }
    const foot = make("div", "condition-foot");
    foot.append(
      this.adder("plus", word("addCondition"), () => draft.parts.push(emptyRow())),
      this.adder("parentheses", word("addGroup"), () =>
        draft.parts.push({ join: draft.join === "all" ? "any" : "all", not: false, parts: [emptyRow()] }),
      ),
    );
    box.append(foot);
    return box;
  }

  private joiner(draft: Draft, index: number): HTMLElement {
    if (index === 0) return make("span", "joiner", word(draft.not ? "whereNot" : "where"));
    if (index > 1) return make("span", "joiner", word(draft.join === "all" ? "and" : "or"));
    const select = make("select", "form-select form-select-sm joiner");
    select.setAttribute("aria-label", word("joinedBy"));
    select.append(new Option(word("and"), "all"), new Option(word("or"), "any"));
    select.value = draft.join;
    select.addEventListener("change", () => {
      draft.join = select.value as Draft["join"];
      this.draw();
      this.apply();
    });
    return select;
  }

  private row(row: Row, draft: Draft): HTMLElement {
    const line = make("div", "condition-row");
    line.append(
      this.columnField(row),
      this.operatorField(row),
      this.valueField(row),
      this.removal(row, draft),
    );
    return line;
  }

  private columnField(row: Row): HTMLElement {
    const input = textField(word("column"), row.column);
    new Combobox(input, {
      options: async () => columnOptions(await this.catalogue.columns(), typedIn(input, row.column)),
      choose: ({ value }) => {
        if (value !== row.column)
          Object.assign(row, emptyRow(), { column: value, operator: firstOperator(this.catalogue, value) });
        this.draw();
        this.focus(row, WITHOUT_VALUE.has(row.operator) ? "select" : "[data-value]");
        this.apply();
      },
      enter: () => input.blur(),
    });
    input.addEventListener("focus", () => input.select());
    input.addEventListener("blur", () => {
      input.value = row.column;
    });
    return wrapped(input, row);
  }

  private operatorField(row: Row): HTMLElement {
    const select = make("select", "form-select form-select-sm");
    select.setAttribute("aria-label", word("operator"));
    const operators = operatorsOf(this.catalogue.find(row.column)?.type);
    for (const operator of new Set([...operators, row.operator])) {
      select.append(new Option(operator.replace("!=", "≠").replace("<=", "≤").replace(">=", "≥"), operator));
    }
    select.value = row.operator;
    select.disabled = !row.column;
    select.addEventListener("change", () => {
      row.operator = select.value;
      this.draw();
      this.focus(row, WITHOUT_VALUE.has(row.operator) ? "select" : "[data-value]");
      this.apply();
    });
    return select;
  }

  private valueField(row: Row): HTMLElement {
    const input = textField(word("value"), row.value);
    input.dataset.value = "";
    input.disabled = !row.column;
    if (WITHOUT_VALUE.has(row.operator)) input.hidden = true;
    const set = (value: string) => {
      input.value = value;
      if (row.value === value) return;
      Object.assign(row, { value, given: undefined });
      this.apply();
    };
    new Combobox(input, {
      options: async () => this.valueOptions(row, input.value),
      choose: ({ text }) =>
        set(WITH_LIST.has(row.operator) ? withLast(input.value, plainText(text)) : plainText(text)),
      enter: () => set(input.value),
    });
    input.addEventListener("change", () => set(input.value));
    return wrapped(input, row);
  }

  private async valueOptions(row: Row, typed: string) {
    const type = this.catalogue.find(row.column)?.type;
    const known =
      type === "time"
        ? ["-1h", "-1d", "-7d", "-30d"]
        : type === "boolean"
          ? ["true", "false"]
          : await this.catalogue.values(row.column);
    const part = lastTyped(row.operator, typed).toLowerCase();
    const texts = known.map(plainText).filter((text) => text.toLowerCase().includes(part) && text !== typed);
    return texts.slice(0, 50).map((text) => ({ value: text, text, label: text }));
  }

  private removal(part: Draft | Row, draft: Draft): HTMLElement {
    const button = makeIconButton("x", word("remove"));
    button.addEventListener("click", () => {
      draft.parts = draft.parts.filter((other) => other !== part);
      if (!this.draft.parts.length) this.draft.parts.push(emptyRow());
      this.draw();
      this.apply();
      one<HTMLElement>(".condition-foot button", this.place).focus();
    });
    return button;
  }

  private adder(icon: string, text: string, add: () => void): HTMLElement {
    const button = make("button", "btn btn-quiet btn-sm");
    button.type = "button";
    button.append(makeIcon(icon), text);
    button.addEventListener("click", () => {
      add();
      this.draw();
      [...this.place.querySelectorAll<HTMLElement>("[data-column-field]")].at(-1)?.focus();
    });
    return button;
  }

  private focus(row: Row, selector: string): void {
    for (const line of this.place.querySelectorAll<HTMLElement>(".condition-row")) {
      if (rows.get(line.firstElementChild ?? line) === row)
        line.querySelector<HTMLElement>(selector)?.focus();
    }
  }

  private apply(): void {
    const filter = textOf(this.draft, (column) => this.catalogue.find(column)?.type);
    if (filter !== this.table.state.filter) void this.table.change({ filter });
  }
}

/** Which row an element of the builder stands for. */
const rows = new WeakMap<Element, Row>();

function wrapped(input: HTMLInputElement, row: Row): HTMLElement {
  const box = make("div", "condition-field");
  box.append(input, ...[input.nextElementSibling].filter((next) => next !== null));
  rows.set(box, row);
  if (!("value" in input.dataset)) input.dataset.columnField = "";
  return box;
}

function textField(label: string, value: string): HTMLInputElement {
  const input = make("input", "form-control form-control-sm");
  input.setAttribute("aria-label", label);
  input.placeholder = label;
  input.value = value;
  const holder = document.createDocumentFragment();
  holder.append(input);
  return input;
}

function typedIn(input: HTMLInputElement, column: string): string {
  return input.value === column ? "" : input.value;
}

function firstOperator(catalogue: Catalogue, column: string): string {
  return operatorsOf(catalogue.find(column)?.type)[0] ?? "=";
}
