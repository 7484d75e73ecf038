import type { Source } from "../charts/feed";
import { onRecolor } from "../charts/palette";
import { announce } from "../lib/announce";
import { make, makeIcon, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import { Card, type CardActions } from "./card";
import type { Layout, Section } from "./layout";
import type { Stage } from "./panel";
import type { PanelSpec } from "./spec";

/** Panels are drawn this far before they come into view. */
const MARGIN = "400px 0px";
/** Narrowest card, pixels, where the number of columns is not chosen. */
const NARROWEST = 288;

interface Shown {
  section: Section;
  /** The section with its tools, which lie beside its summary: a control must not hold others. */
  frame: HTMLElement;
  element: HTMLDetailsElement;
  cards: HTMLElement;
  count: HTMLElement;
}

export interface GridActions extends Omit<CardActions, "shift" | "grabbed" | "resized"> {
  /** The layout has changed: arrange again. */
  changed(): void;
  addTo(section: Section): void;
}

/** Sections of cards. A closed section has no cards, a card out of view no drawing. */
export class Grid {
  private readonly cards = new Map<string, Card>();
  private readonly byElement = new WeakMap<Element, Card>();
  private readonly shown = new Map<string, Shown>();
  private readonly watcher: IntersectionObserver;
  private sections: Section[] = [];
  private search = "";
  private dragged: { card: Card } | { section: string } | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly stage: Stage,
    private readonly layout: Layout,
    private readonly actions: GridActions,
  ) {
    this.watcher = new IntersectionObserver((entries) => this.watch(entries), { rootMargin: MARGIN });
    new ResizeObserver(() => this.fit()).observe(root);
    onRecolor(() => this.each((card) => card.panel?.refresh()));
    this.acceptDrops();
  }

  /** Show these sections; returns how many panels match the search. */
  show(sections: Section[], search = this.search): number {
    this.sections = sections;
    this.search = search;
    const matches = matcherOf(search);
    const open = this.layout.openSections(sections);
    const kept = new Set<string>();
    let total = 0;
    let before: Element | null = null;
    for (const section of sections) {
      const panels = section.panels.filter(matches);
      const shown = this.sectionOf(section);
      const place: Element | null = before ? before.nextElementSibling : this.root.firstElementChild;
      if (place !== shown.frame) this.root.insertBefore(shown.frame, place);
      before = shown.frame;
      shown.frame.hidden = panels.length === 0;
      shown.count.textContent = String(panels.length);
      const isOpen = search ? panels.length > 0 : open.has(section.name);
      if (shown.element.open !== isOpen) shown.element.open = isOpen;
      if (isOpen) for (const { id } of panels) kept.add(id);
      this.fill(shown, isOpen ? panels : []);
      total += panels.length;
    }
    this.dropOthers(kept, new Set(sections.map(({ name }) => name)));
    this.fit();
    return total;
  }

  /** Draw every panel in view again. */
  refresh(): void {
    this.each((card) => card.show());
  }

  took(source: Source, keys: Set<string>): void {
    this.each((card) => card.took(source, keys));
  }

  failed(source: Source, keys: Set<string>): void {
    this.each((card) => card.panel?.failed?.(source, keys));
  }

  each(act: (card: Card) => void): void {
    for (const card of this.cards.values()) if (card.visible) act(card);
  }

  cardOf(id: string): Card | undefined {
    return this.cards.get(id);
  }

  /** Move a card by so many places among those of its section. */
  shift(card: Card, places: number): void {
    const section = this.sections.find(({ name }) => name === card.spec.section);
    if (!section) return;
    const others = section.panels.filter(({ id }) => id !== card.spec.id);
    const at = section.panels.findIndex(({ id }) => id === card.spec.id) + places;
    if (at < 0 || at > others.length) return;
    this.layout.move(card.spec, section, others[at]?.id ?? null);
    this.actions.changed();
    announce(word("movedTo", { n: at + 1, of: section.panels.length }));
  }

  private sectionOf(section: Section): Shown {
    const known = this.shown.get(section.name);
    if (known) {
      known.section = section;
      return known;
    }
    const element = make("details", "chart-section");
    element.dataset.section = section.name;
    const summary = make("summary");
    const count = make("span", "count");
    const add = makeIconButton("plus", word("addTo", { section: section.name }));
    const cards = make("div", "chart-grid");
    const frame = make("div", "section-frame");
    const tools = make("div", "section-tools");
    const shown: Shown = { section, frame, element, cards, count };
    add.addEventListener("click", (event) => {
      event.preventDefault();
      this.actions.addTo(shown.section);
    });
    summary.append(makeIcon("chevron-right"), make("h2", "", section.name), count);
    tools.append(this.gripOf(section.name), add);
    element.append(summary, cards);
    frame.append(tools, element);
    element.addEventListener("toggle", () => this.toggled(shown));
    this.shown.set(section.name, shown);
    return shown;
  }

  private gripOf(name: string): HTMLElement {
    const grip = makeIconButton("grip-vertical", word("moveSection", { section: name }));
    grip.classList.add("section-grip");
    grip.draggable = true;
    grip.addEventListener("click", (event) => event.preventDefault());
    grip.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", name);
      this.dragged = { section: name };
    });
    grip.addEventListener("keydown", (event) => {
      const places = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!places) return;
      event.preventDefault();
      const others = this.sections.map((section) => section.name).filter((other) => other !== name);
      const at = this.sections.findIndex((section) => section.name === name) + places;
      if (at < 0 || at > others.length) return;
      this.layout.moveSection(this.sections, name, others[at] ?? null);
      this.actions.changed();
      grip.focus();
    });
    return grip;
  }

  private toggled({ section, element }: Shown): void {
    const isOpen = this.layout.openSections(this.sections).has(section.name);
    if (this.search || element.open === isOpen) return;
    this.layout.setOpen(section.name, element.open);
    this.show(this.sections);
  }

  /** Put the cards of these panels into a section, in this order. */
  private fill({ cards }: Shown, panels: readonly PanelSpec[]): void {
    let before: Element | null = null;
    for (const spec of panels) {
      const card = this.cards.get(spec.id) ?? this.newCard(spec);
      card.change(spec);
      const place: Element | null = before ? before.nextElementSibling : cards.firstElementChild;
      if (place !== card.element) cards.insertBefore(card.element, place);
      before = card.element;
    }
  }

  private newCard(spec: PanelSpec): Card {
    const card = new Card(spec, this.stage, {
      ...this.actions,
      shift: (moved, places) => this.shift(moved, places),
      grabbed: (moved) => {
        this.dragged = { card: moved };
      },
      resized: (resized, span, height) => {
        this.layout.change(resized.spec.id, { span, height });
        this.actions.changed();
      },
    });
    this.cards.set(spec.id, card);
    this.byElement.set(card.element, card);
    this.watcher.observe(card.element);
    return card;
  }

  private dropOthers(kept: Set<string>, names: Set<string>): void {
    for (const [id, card] of this.cards) {
      if (kept.has(id)) continue;
      this.watcher.unobserve(card.element);
      card.rest();
      card.element.remove();
      this.cards.delete(id);
    }
    for (const [name, shown] of this.shown) {
      if (names.has(name)) continue;
      shown.frame.remove();
      this.shown.delete(name);
    }
  }

  private watch(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const card = this.byElement.get(entry.target);
      if (!card || card.visible === entry.isIntersecting) continue;
      card.visible = entry.isIntersecting;
      if (card.visible) card.show();
      else card.rest();
    }
  }

  /** Give the sections their columns; no card is wider than the page. */
  private fit(): void {
    const fitting = Math.max(1, Math.floor((this.root.clientWidth + 12) / (NARROWEST + 12)));
    const columns = this.root.clientWidth < 560 ? 1 : this.layout.columns || fitting;
    const changed = this.root.dataset.columns !== `${columns} ${this.root.clientWidth}`;
    this.root.dataset.columns = `${columns} ${this.root.clientWidth}`;
    this.root.style.setProperty("--columns", String(columns));
    for (const card of this.cards.values()) {
      const span = Math.min(columns, card.spec.span ?? 1);
      card.element.style.gridColumn = span > 1 ? `span ${span}` : "";
    }
    if (changed) this.each((card) => card.panel?.refresh());
  }

  private acceptDrops(): void {
    this.root.addEventListener("dragstart", () => this.root.classList.add("is-dragging"));
    this.root.addEventListener("dragover", (event) => {
      if (!this.dragged) return;
      event.preventDefault();
      const target = this.targetOf(event);
      for (const marked of this.root.querySelectorAll(".is-target")) {
        if (marked !== target) marked.classList.remove("is-target");
      }
      target?.classList.add("is-target");
    });
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      const target = this.targetOf(event);
      if (target) this.dropOn(target);
    });
    document.addEventListener("dragend", () => {
      this.dragged = null;
      this.root.classList.remove("is-dragging");
      for (const marked of this.root.querySelectorAll(".is-target")) marked.classList.remove("is-target");
    });
  }

  private targetOf(event: DragEvent): Element | null {
    const target = event.target as Element;
    if (this.dragged && "section" in this.dragged) return target.closest(".chart-section");
    return target.closest(".chart-card") ?? target.closest(".chart-section");
  }

  private dropOn(target: Element): void {
    const { dragged } = this;
    const name = (target.closest(".chart-section") as HTMLElement | null)?.dataset.section;
    const section = this.sections.find((one) => one.name === name);
    if (!dragged || !section) return;
    if ("section" in dragged) {
      if (dragged.section !== name) this.layout.moveSection(this.sections, dragged.section, section.name);
    } else {
      const over = this.byElement.get(target);
      if (over === dragged.card) return;
      this.layout.move(dragged.card.spec, section, over?.spec.id ?? null);
    }
    this.actions.changed();
  }
}

/** Panels match whose title, keys or kind of media have every word, or match the text as a regular expression. */
function matcherOf(search: string): (spec: PanelSpec) => boolean {
  const text = search.trim();
  if (!text) return () => true;
  const words = text.toLowerCase().split(/\s+/);
  let pattern: RegExp | null = null;
  try {
    pattern = new RegExp(text, "i");
  } catch {
    pattern = null; // half typed
  }
  return ({ kind, title, keys, section, text: about = "" }) => {
    const names = [
      title,
      ...keys,
      `${section}/${title}`,
      ...(kind === "media" || kind === "histogram" ? [about] : []),
    ];
    const whole = names.join(" ").toLowerCase();
    return words.every((one) => whole.includes(one)) || names.some((name) => pattern?.test(name));
  };
}
