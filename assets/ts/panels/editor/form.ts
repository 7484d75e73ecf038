import { make } from "../../lib/dom";
import { word } from "../../lib/words";
import type { NamedLine, Stage } from "../panel";
import type { PanelSpec, View } from "../spec";
import type { Field } from "./fields";

/** What fields say of a panel; undefined takes a part of it away. */
export type Changes = { [K in keyof PanelSpec]?: PanelSpec[K] | undefined };

/** A field of the editor: what it changes of a panel. */
export interface SpecField {
  element: HTMLElement;
  read(): Changes;
  /** The lines that the panel shows now. */
  showLines?(lines: readonly NamedLine[]): void;
  destroy?(): void;
}

/** One tab of the editor. */
export interface Part {
  /** `data`, `axes`, `lines` or `grouping`. */
  name: string;
  fields: SpecField[];
}

/** What fields of a form may know. */
export interface Context {
  readonly stage: Stage;
  /** How lines are drawn where the panel says nothing. */
  readonly common: View;
  readonly history: readonly string[];
  readonly system: readonly string[];
  /** Columns on config and summary, those with numbers, and numbers of the summary. */
  readonly columns: readonly string[];
  readonly numeric: readonly string[];
  readonly metrics: readonly string[];
}

/** Keep what a field holds under a name of the panel. */
export function as<K extends keyof PanelSpec>(
  name: K,
  field: Field<PanelSpec[K] | null | undefined>,
): SpecField {
  return { element: field.element, read: () => ({ [name]: field.read() ?? undefined }) as Changes };
}

/** Several fields that make one value of the panel. */
export function together(elements: readonly HTMLElement[], read: () => Changes): SpecField {
  const element = make("div", "panel-field-pair");
  element.append(...elements);
  return { element, read };
}

export function readAll(parts: readonly Part[]): Changes {
  return Object.assign({}, ...parts.flatMap(({ fields }) => fields.map((field) => field.read())));
}

/** Lay the parts out as tabs; one part needs none. Returns the tabs to show one of them. */
export class Tabs {
  private chosen = "";

  constructor(private readonly box: HTMLElement) {
    box.addEventListener("invalid", (event) => this.open(partOf(event.target)), true);
  }

  show(parts: readonly Part[]): void {
    const list = make("div", "panel-tabs");
    list.setAttribute("role", "tablist");
    const names = parts.map(({ name }) => name);
    if (!names.includes(this.chosen)) this.chosen = names[0] ?? "";
    const panels = parts.map(({ name, fields }) => {
      const tab = make("button", "panel-tab", word(`part_${name}`));
      tab.type = "button";
      tab.id = `panel-tab-${name}`;
      tab.dataset.tab = name;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", `panel-part-${name}`);
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.move(event, names));
      list.append(tab);
      const panel = make("div", "panel-fields");
      panel.id = `panel-part-${name}`;
      panel.dataset.part = name;
      if (parts.length > 1) {
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", tab.id);
      }
      panel.append(...fields.map(({ element }) => element));
      return panel;
    });
    this.box.replaceChildren(...(parts.length > 1 ? [list] : []), ...panels);
    this.open(this.chosen);
  }

  private open(name: string): void {
    if (!name) return;
    this.chosen = name;
    for (const tab of this.box.querySelectorAll<HTMLElement>("[data-tab]")) {
      const isOpen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
    }
    for (const part of this.box.querySelectorAll<HTMLElement>("[data-part]"))
      part.hidden = part.dataset.part !== name;
  }

  private move(event: KeyboardEvent, names: readonly string[]): void {
    const at = names.indexOf(this.chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.open(names[(to + names.length) % names.length] ?? "");
    this.box.querySelector<HTMLElement>('[data-tab][aria-selected="true"]')?.focus();
  }
}

function partOf(target: EventTarget | null): string {
  return target instanceof Element ? (target.closest<HTMLElement>("[data-part]")?.dataset.part ?? "") : "";
}
