import { make } from "../lib/dom";
import { placeAfter } from "../lib/lists";
import { place } from "./popup";

/** One thing that can be chosen. */
export interface Option {
  value: string;
  /** What is written when it is chosen. */
  text: string;
  label: string;
  /** Said beside it, small. */
  hint?: string;
}

interface Source {
  /** What may be chosen with the text and caret as they are. */
  options(): Promise<Option[]>;
  /** Write what was chosen. */
  choose(option: Option): void;
  /** Enter was pressed with nothing chosen. */
  enter?(): void;
}

let made = 0;

/**
 * Give a text field a list to choose from, after the ARIA combobox pattern.
 *
 * Arrow keys walk, Enter and Tab choose, Esc closes the list first and leaves the field second.
 */
export class Combobox {
  private readonly list = make("div", "menu options");
  private options: Option[] = [];
  private active = -1;
  private asked = 0;

  constructor(
    private readonly input: HTMLInputElement,
    private readonly source: Source,
  ) {
    made += 1;
    this.list.id = `options-${made}`;
    this.list.popover = "manual";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", input.getAttribute("aria-label") ?? input.placeholder);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", this.list.id);
    input.autocomplete = "off";
    input.spellcheck = false;
    input.after(this.list);
    input.addEventListener("input", () => void this.open());
    input.addEventListener("focus", () => void this.open());
    input.addEventListener("click", () => void this.open());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.keyDown(event));
    this.list.addEventListener("pointerdown", (event) => this.pressed(event));
  }

  /** Show what may be chosen now. */
  async open(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    const options = await this.source.options().catch(() => []);
    if (asked !== this.asked || document.activeElement !== this.input) return;
    this.options = options;
    this.active = -1;
    if (!options.length) {
      this.close();
      return;
    }
    this.draw();
  }

  /** Hide the list. */
  close(): void {
    this.asked += 1;
    if (this.list.matches(":popover-open")) this.list.hidePopover();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  private get isOpen(): boolean {
    return this.list.matches(":popover-open");
  }

  private draw(): void {
    this.list.replaceChildren(
      ...this.options.map((option, index) => {
        const item = make("div", "option");
        item.id = `${this.list.id}-${index}`;
        item.dataset.index = String(index);
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.append(make("span", "option-label", option.label));
        if (option.hint) item.append(make("span", "option-hint", option.hint));
        return item;
      }),
    );
    if (!this.isOpen) this.list.showPopover();
    place(this.list, this.input);
    this.list.scrollTop = 0;
    this.input.setAttribute("aria-expanded", "true");
  }

  private keyDown(event: KeyboardEvent): void {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (!this.isOpen) void this.open();
      else this.walk(key === "ArrowDown" ? 1 : -1);
    } else if ((key === "Enter" || key === "Tab") && this.isOpen && (this.active >= 0 || key === "Tab")) {
      if (key === "Tab" && (event.shiftKey || !this.input.value.trim())) return;
      event.preventDefault();
      this.choose(Math.max(0, this.active));
    } else if (key === "Enter") {
      event.preventDefault();
      this.close();
      this.source.enter?.();
    } else if (key === "Escape" && this.isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    }
  }

  private walk(by: number): void {
    this.active = placeAfter(this.active, by, this.options.length);
    for (const [index, item] of [...this.list.children].entries()) {
      item.setAttribute("aria-selected", String(index === this.active));
      if (index === this.active) item.scrollIntoView({ block: "nearest" });
    }
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.active}`);
  }

  private pressed(event: PointerEvent): void {
    event.preventDefault();
    const index = (event.target as Element).closest<HTMLElement>("[data-index]")?.dataset.index;
    if (index !== undefined) this.choose(Number(index));
  }

  private choose(index: number): void {
    const option = this.options[index];
    if (!option) return;
    this.close();
    this.source.choose(option);
  }
}
