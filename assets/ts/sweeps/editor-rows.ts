import { make, one } from "../lib/dom";
import { word } from "../lib/words";
import type { Change, Problem, Row } from "./editor-wire";

/** Say what somebody changed; `isTyped` while they may go on typing. */
export type Tell = (change: Change, isTyped: boolean) => void;

/** The parameters of the form, a row each. */
export class Rows {
  private shown: Row[] = [];
  private isAdding = false;

  constructor(
    private readonly place: HTMLElement,
    private readonly pattern: HTMLTemplateElement,
    private readonly tell: Tell,
  ) {}

  /** Ask for another row; its name is to be typed then. */
  add(): void {
    this.isAdding = true;
    this.tell({ parameter: "", field: "add", typed: "" }, false);
  }

  /** Show rows; those of the same name and kind keep their fields, and what has the focus keeps its text. */
  show(rows: readonly Row[]): void {
    const before = new Set(this.shown.map(({ name }) => name));
    rows.forEach((row, at) => {
      const old = this.shown[at];
      const element = this.place.children[at] as HTMLElement | undefined;
      if (element && old?.name === row.name && old.kind === row.kind) this.fill(element, row);
      else this.build(row, element);
    });
    while (this.place.children.length > rows.length) this.place.lastElementChild?.remove();
    this.shown = [...rows];
    if (this.isAdding && rows.length > before.size) {
      this.isAdding = false;
      this.select(rows.findIndex(({ name }) => !before.has(name)));
    }
  }

  /** Show under each row what is wrong in it. */
  showProblems(problems: readonly Problem[]): Problem[] {
    const { of, left } = problemsByRow(this.shown, problems);
    this.shown.forEach(({ name }, at) => {
      const element = this.place.children[at] as HTMLElement;
      this.problemsOf(element, name, of.get(name) ?? []);
    });
    return left;
  }

  private problemsOf(element: HTMLElement, name: string, problems: readonly Problem[]): void {
    element.querySelector(".field-error")?.remove();
    for (const input of element.querySelectorAll<HTMLElement>("[data-field]")) {
      const path = `parameters.${name}.${input.dataset.field}`;
      const isWrong = problems.some((problem) => isWithin(problem.path, path));
      input.classList.toggle("is-invalid", isWrong);
      input.setAttribute("aria-invalid", String(isWrong));
    }
    if (!problems.length) return;
    const said = make("div", "field-error");
    said.append(...problems.map(({ message }) => make("div", "", capital(message))));
    element.append(said);
  }

  private select(at: number): void {
    const input = this.place.children[at]?.querySelector<HTMLInputElement>("[data-field=name]");
    input?.focus();
    input?.select();
  }

  private build(row: Row, old?: HTMLElement): void {
    const focused = old?.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.field
      : undefined;
    const made = this.pattern.content.cloneNode(true) as DocumentFragment;
    const element = one<HTMLElement>(".sweep-row", made);
    element.setAttribute("aria-label", row.name);
    const kind = one<HTMLSelectElement>("[data-field=kind]", element);
    const remove = one<HTMLElement>("[data-remove]", element);
    remove.title = word("removeParameter", { name: row.name });
    remove.setAttribute("aria-label", remove.title);
    remove.addEventListener("click", () =>
      this.tell({ parameter: row.name, field: "remove", typed: "" }, false),
    );
    if (row.kind) {
      kind.value = row.kind;
      const fields = kind.selectedOptions[0]?.dataset.fields?.split(" ") ?? [];
      one(".sweep-row-fields", element).replaceChildren(...fields.map((name) => fieldOf(name)));
    } else {
      kind.remove();
      one(".sweep-row-fields", element).replaceChildren(make("p", "muted sweep-row-says", row.says));
    }
    for (const input of element.querySelectorAll<HTMLInputElement>("[data-field]"))
      this.listen(input, row.name);
    this.fill(element, row);
    if (old) old.replaceWith(element);
    else this.place.append(element);
    if (focused) element.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus();
  }

  private listen(input: HTMLInputElement, parameter: string): void {
    const field = input.dataset.field ?? "";
    const isTyped = field !== "name" && field !== "kind";
    input.addEventListener(isTyped ? "input" : "change", () =>
      this.tell({ parameter, field, typed: input.value }, isTyped),
    );
  }

  private fill(element: HTMLElement, row: Row): void {
    for (const input of element.querySelectorAll<HTMLInputElement>("[data-field]")) {
      const name = input.dataset.field ?? "";
      if (input === document.activeElement && input.value !== "" && name !== "name" && name !== "kind")
        continue;
      input.value = name === "name" ? row.name : name === "kind" ? row.kind : (row.fields[name] ?? "");
    }
  }
}

function fieldOf(name: string): HTMLElement {
  const label = make("label", "sweep-row-field");
  const input = make("input", "form-control mono");
  input.dataset.field = name;
  input.spellcheck = false;
  input.autocomplete = "off";
  const said = make("span", "sweep-row-label", word(`field_${name}`));
  if (name === "values" || name === "probabilities") {
    label.classList.add("is-wide");
    said.classList.add("visually-hidden");
    input.placeholder = word(`field_${name}`);
  }
  label.append(said, input);
  return label;
}

/** The problems of each parameter by its name, and those that are left. */
export function problemsByRow(
  rows: readonly Pick<Row, "name">[],
  problems: readonly Problem[],
): { of: Map<string, Problem[]>; left: Problem[] } {
  const left: Problem[] = [];
  const of = new Map<string, Problem[]>();
  for (const problem of problems) {
    const row = rows.find(({ name }) => isWithin(problem.path, `parameters.${name}`));
    if (row) of.set(row.name, [...(of.get(row.name) ?? []), problem]);
    else left.push(problem);
  }
  return { of, left };
}

/** Whether a path is another one or leads on from it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

/** Messages go on behind a path; alone they begin a sentence. */
export function capital(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
