import { make, makeIcon, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import type { Card } from "./card";
import { columnsOf, widthOf } from "./columns-fit";
import type { Section } from "./layout";

export interface FrameActions {
  toggled(frame: SectionFrame): void;
  menu(section: Section, button: HTMLElement): void;
  addTo(section: Section): void;
  /** A drag of the section has begun. */
  grabbed(name: string): void;
  /** Move by keyboard: so many places on. */
  shift(name: string, places: number): void;
}

/** A section with its tools, which lie beside its summary: a control must not hold others. */
export class SectionFrame {
  readonly element = make("div", "section-frame");
  readonly details = make("details", "chart-section");
  private readonly title = make("h2");
  private readonly count = make("span", "count");
  private readonly grid = make("div", "chart-grid");
  private readonly empty = make("p", "section-empty", word("sectionEmpty"));
  private readonly blocks = new Map<string, HTMLElement>();
  private readonly labels: [HTMLElement, string][] = [];
  private cards: readonly Card[] = [];

  constructor(
    private section: Section,
    private readonly actions: FrameActions,
  ) {
    this.details.dataset.section = section.name;
    const summary = make("summary");
    summary.append(makeIcon("chevron-right"), this.title, this.count);
    this.details.append(summary, this.grid, this.empty);
    this.details.addEventListener("toggle", () => actions.toggled(this));
    this.element.append(this.tools(), this.details);
  }

  get name(): string {
    return this.section.name;
  }

  /** Show these cards of a section; a closed one has none. */
  show(section: Section, count: number, isOpen: boolean, cards: readonly Card[]): void {
    this.section = section;
    this.title.textContent = section.title;
    this.count.textContent = String(count);
    for (const [button, key] of this.labels) {
      button.title = word(key, { section: section.title });
      button.setAttribute("aria-label", button.title);
    }
    if (this.details.open !== isOpen) this.details.open = isOpen;
    this.cards = cards;
    this.empty.hidden = section.panels.length > 0;
    this.grid.hidden = !this.empty.hidden;
    this.fill();
  }

  /** Give the cards their columns; none is wider than the page. */
  fit(most: number, chosen: number): void {
    const isGrouped = this.blocks.size > 0;
    const columns = columnsOf(this.cards.map(spanOf), { most, chosen, isGrouped });
    this.grid.style.setProperty("--columns", String(columns));
    this.grid.classList.toggle("is-lone", columns === 1 && most > 1 && !chosen);
    for (const card of this.cards) card.span(columns);
    for (const [group, block] of this.blocks) {
      const inside = this.cards.filter(({ spec }) => spec.group === group);
      const wide = Math.min(columns, widthOf(inside.map(spanOf), columns));
      block.style.gridColumn = `span ${wide}`;
      block.style.setProperty("--columns", String(wide));
    }
  }

  private fill(): void {
    const wanted = new Map<HTMLElement, HTMLElement[]>();
    const direct: HTMLElement[] = [];
    const groups = new Set(this.cards.map(({ spec }) => spec.group).filter(Boolean) as string[]);
    const isGrouped = groups.size > 1;
    for (const { element, spec } of this.cards) {
      if (!spec.group || !isGrouped) {
        direct.push(element);
        continue;
      }
      const block = this.blockOf(spec.group);
      if (!wanted.has(block)) direct.push(block);
      wanted.set(block, [...(wanted.get(block) ?? []), element]);
    }
    for (const [group, block] of this.blocks) {
      if (isGrouped && groups.has(group)) continue;
      this.blocks.delete(group);
      block.remove();
    }
    arrange(this.grid, direct);
    for (const [block, cards] of wanted) arrange(block.lastElementChild as HTMLElement, cards);
  }

  private blockOf(group: string): HTMLElement {
    const known = this.blocks.get(group);
    if (known) return known;
    const block = make("div", "chart-group");
    block.append(make("h3", "", group), make("div", "chart-grid"));
    this.blocks.set(group, block);
    return block;
  }

  private tools(): HTMLElement {
    const tools = make("div", "section-tools");
    const add = this.button("plus", "addTo");
    add.addEventListener("click", () => this.actions.addTo(this.section));
    const more = this.button("ellipsis", "sectionMenu");
    more.setAttribute("aria-haspopup", "menu");
    more.dataset.sectionMenu = "";
    more.addEventListener("click", () => this.actions.menu(this.section, more));
    tools.append(this.grip(), add, more);
    return tools;
  }

  private grip(): HTMLElement {
    const grip = this.button("grip-vertical", "moveSection");
    grip.classList.add("section-grip");
    grip.draggable = true;
    grip.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", this.name);
      this.actions.grabbed(this.name);
    });
    grip.addEventListener("keydown", (event) => {
      const places = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!places) return;
      event.preventDefault();
      this.actions.shift(this.name, places);
      grip.focus();
    });
    return grip;
  }

  private button(icon: string, key: string): HTMLButtonElement {
    const button = makeIconButton(icon, "");
    this.labels.push([button, key]);
    return button;
  }
}

function spanOf({ spec }: Card): number {
  return spec.span ?? 1;
}

/** Put elements into this order; those in their places stay, because frames load anew when they are moved. */
function arrange(parent: HTMLElement, children: readonly HTMLElement[]): void {
  let before: Element | null = null;
  for (const child of children) {
    const place: Element | null = before ? before.nextElementSibling : parent.firstElementChild;
    if (place !== child) parent.insertBefore(child, place);
    before = child;
  }
}
