import { make, makeIcon, makeIconButton } from "../../lib/dom";
import { word } from "../../lib/words";
import { type Field, labelled } from "./fields";
import { arrowTo, entered, fitting } from "./options";

/** Options that are listed at once; typing finds the others. */
const MOST_LISTED = 100;

/** Several of many names in an order of one's own: a search over a list, what is chosen above it. */
export function several(
  label: string,
  options: readonly string[],
  values: readonly string[],
): Field<string[]> {
  return new Picker(label, options, values);
}

class Picker implements Field<string[]> {
  readonly element: HTMLElement;
  private readonly chosen: string[];
  private readonly input = make("input", "form-control form-control-sm");
  private readonly chips = make("div", "panel-chips");
  private readonly list = make("ul", "panel-options");
  private found: readonly string[] = [];
  private active = -1;

  constructor(
    label: string,
    private readonly options: readonly string[],
    values: readonly string[],
  ) {
    this.chosen = [...values];
    const { input, list, chips } = this;
    input.placeholder = word("searchNames");
    input.autocomplete = "off";
    input.spellcheck = false;
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "true");
    this.element = labelled(label, input);
    this.element.classList.add("is-wide", "panel-picker");
    list.id = `${input.id}-options`;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-multiselectable", "true");
    list.setAttribute("aria-label", label);
    input.setAttribute("aria-controls", list.id);
    this.element.append(chips, list);
    input.addEventListener("input", (event) => {
      event.stopPropagation(); // what is typed is no choice yet
      this.active = -1;
      this.drawList();
    });
    input.addEventListener("change", (event) => event.stopPropagation());
    input.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the search keeps the focus
    list.addEventListener("click", (event) => {
      const { name } = (event.target as Element).closest<HTMLElement>("[data-name]")?.dataset ?? {};
      if (name !== undefined) this.toggle(name);
    });
    this.draw();
  }

  read(): string[] {
    const typed = this.input.value.trim();
    if (this.options.includes(typed) && !this.chosen.includes(typed)) return [...this.chosen, typed];
    return [...this.chosen];
  }

  private toggle(name: string): void {
    const at = this.chosen.indexOf(name);
    if (at >= 0) this.chosen.splice(at, 1);
    else this.chosen.push(name);
    this.changed();
  }

  private changed(): void {
    this.draw();
    this.element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  private draw(): void {
    this.chips.replaceChildren(
      ...this.chosen.map((name) => {
        const chip = make("span", "tag", name);
        const remove = makeIconButton("x", word("removeOne", { key: name }));
        remove.addEventListener("click", () => {
          this.toggle(name);
          this.input.focus();
        });
        chip.append(remove);
        return chip;
      }),
    );
    this.drawList();
  }

  private drawList(): void {
    const all = fitting(this.options, this.input.value);
    this.found = all.slice(0, MOST_LISTED);
    const items = this.found.map((name, at) => {
      const item = make("li", "panel-option");
      item.id = `${this.list.id}-${at}`;
      item.dataset.name = name;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(this.chosen.includes(name)));
      item.classList.toggle("is-active", at === this.active);
      item.append(makeIcon("check"), make("span", "truncate", name));
      return item;
    });
    const left = all.length - items.length;
    if (!items.length) items.push(this.remark(word("noNameMatches")));
    if (left > 0) items.push(this.remark(word("more", { n: left })));
    this.list.replaceChildren(...items);
    this.point();
  }

  private remark(text: string): HTMLLIElement {
    const item = make("li", "panel-option muted", text);
    item.setAttribute("role", "option");
    item.setAttribute("aria-disabled", "true");
    item.setAttribute("aria-selected", "false");
    return item;
  }

  private point(): void {
    const item = this.active < 0 ? null : this.list.children[this.active];
    if (!item) this.input.removeAttribute("aria-activedescendant");
    else {
      this.input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  }

  private key(event: KeyboardEvent): void {
    const { key } = event;
    const typed = this.input.value.trim();
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      this.active = arrowTo(this.active, key === "ArrowDown", this.found.length);
      this.drawList();
    } else if (key === "Enter" && (this.active >= 0 || typed)) {
      event.preventDefault();
      this.enter(typed);
    } else if (key === "Backspace" && !this.input.value && this.chosen.pop() !== undefined) this.changed();
  }

  /** Take the name that arrows have come to, else what was typed. */
  private enter(typed: string): void {
    const taken = this.found[this.active] ?? entered(typed, this.options, this.found, this.chosen);
    this.input.value = "";
    this.active = -1;
    if (taken === undefined) this.drawList();
    else this.toggle(taken);
  }
}
