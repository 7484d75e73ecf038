import type { Source } from "../charts/feed";
import { onRecolor } from "../charts/palette";
import { announce } from "../lib/announce";
import { type Found, Patterns } from "../lib/patterns";
import { word } from "../lib/words";
import { Card, type CardActions } from "./card";
import { fitting } from "./columns-fit";
import { Drag, type Dragged, type DropPlace } from "./drag";
import type { Layout, Section } from "./layout";
import type { Stage } from "./panel";
import { matcherOf } from "./search";
import { type FrameActions, SectionFrame } from "./section-frame";
import { moveSection, shiftSection } from "./sections";
import type { PanelSpec } from "./spec";

/** Panels are drawn this far before they come into view. */
const MARGIN = "400px 0px";

export interface GridActions
  extends Omit<CardActions, "shift" | "grabbed" | "resized">,
    Pick<FrameActions, "addTo"> {
  sectionMenu(section: Section, button: HTMLElement): void;
  /** The layout has changed: arrange again. */
  changed(): void;
}

/** Sections of cards. A closed section has no cards, a card out of view no drawing. */
export class Grid {
  private readonly cards = new Map<string, Card>();
  private readonly byElement = new WeakMap<Element, Card>();
  private readonly frames = new Map<string, SectionFrame>();
  private readonly watcher: IntersectionObserver;
  private readonly drag: Drag;
  private sections: Section[] = [];
  private search = "";
  private readonly searching: Patterns;
  private fitted = "";

  constructor(
    private readonly root: HTMLElement,
    private readonly stage: Stage,
    private readonly layout: Layout,
    private readonly actions: GridActions,
  ) {
    this.watcher = new IntersectionObserver((entries) => this.watch(entries), { rootMargin: MARGIN });
    this.drag = new Drag(root, (dragged, place) => this.drop(dragged, place));
    new ResizeObserver(() => this.fit()).observe(root);
    this.searching = new Patterns(() => this.actions.changed());
    onRecolor(() => this.each((card) => card.tell((panel) => panel.refresh())));
  }

  /** Show these sections; returns how many panels match the search. */
  show(sections: Section[], search = this.search): number {
    if (search !== this.search) this.searching.clear();
    this.sections = sections;
    this.search = search;
    const matches = matcherOf(search, this.searching);
    const open = this.layout.openSections(sections);
    const kept = new Set<string>();
    let total = 0;
    let before: Element | null = null;
    for (const section of sections) {
      const panels = section.panels.filter(matches);
      const frame = this.frameOf(section);
      const place: Element | null = before ? before.nextElementSibling : this.root.firstElementChild;
      if (place !== frame.element) this.root.insertBefore(frame.element, place);
      before = frame.element;
      frame.element.hidden = panels.length === 0 && (search !== "" || section.panels.length > 0);
      const isOpen = search ? panels.length > 0 : open.has(section.name);
      const shown = isOpen ? panels : [];
      for (const { id } of shown) kept.add(id);
      frame.show(
        section,
        panels.length,
        isOpen,
        shown.map((spec) => this.cardFor(spec)),
      );
      total += panels.length;
    }
    this.dropOthers(kept, new Set(sections.map(({ name }) => name)));
    this.fit(true);
    return total;
  }

  /** What is known of the search as a regular expression. */
  get searched(): Found {
    return this.searching.look(this.search.trim(), "i", []);
  }

  /** Draw every panel in view again. */
  refresh(): void {
    this.each((card) => card.show());
  }

  took(source: Source, keys: Set<string>): void {
    this.each((card) => card.took(source, keys));
  }

  failed(source: Source, keys: Set<string>): void {
    this.each((card) => card.tell((panel) => panel.failed?.(source, keys)));
  }

  each(act: (card: Card) => void): void {
    for (const card of this.cards.values()) if (card.visible) act(card);
  }

  cardOf(id: string): Card | undefined {
    return this.cards.get(id);
  }

  /** The card so many places on, across the open sections. */
  neighborOf(id: string, places: number): Card | undefined {
    const ids = this.sections.flatMap(({ panels }) => panels.map((spec) => spec.id));
    const shown = ids.filter((one) => this.cards.has(one));
    return this.cards.get(shown[shown.indexOf(id) + places] ?? "");
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

  private frameOf(section: Section): SectionFrame {
    const known = this.frames.get(section.name);
    if (known) return known;
    const frame = new SectionFrame(section, {
      addTo: this.actions.addTo,
      menu: this.actions.sectionMenu,
      toggled: (toggled) => this.toggled(toggled),
      grabbed: (name) => this.drag.begin({ section: name }),
      shift: (name, places) => {
        if (shiftSection(this.layout, this.sections, name, places)) this.actions.changed();
      },
    });
    this.frames.set(section.name, frame);
    return frame;
  }

  private toggled({ name, details }: SectionFrame): void {
    const isOpen = this.layout.openSections(this.sections).has(name);
    if (this.search || details.open === isOpen) return;
    this.layout.setOpen(name, details.open);
    this.show(this.sections);
  }

  private cardFor(spec: PanelSpec): Card {
    const card = this.cards.get(spec.id) ?? this.newCard(spec);
    card.change(spec);
    return card;
  }

  private newCard(spec: PanelSpec): Card {
    const card = new Card(spec, this.stage, {
      ...this.actions,
      shift: (moved, places) => this.shift(moved, places),
      grabbed: (moved) => this.drag.begin({ card: moved }),
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
    for (const [name, frame] of this.frames) {
      if (names.has(name)) continue;
      frame.element.remove();
      this.frames.delete(name);
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

  /** Give the sections their columns, and draw again what has another size now. */
  private fit(isRearranged = false): void {
    const width = this.root.clientWidth;
    const most = fitting(width);
    for (const frame of this.frames.values()) {
      const chosen = this.layout.settingsOf(frame.name).columns || this.layout.columns;
      frame.fit(most, most === 1 ? 1 : chosen);
    }
    const fitted = `${width} ${most}`;
    if (isRearranged || fitted !== this.fitted) this.each((card) => card.resized());
    this.fitted = fitted;
  }

  private drop(dragged: Dragged, place: DropPlace): void {
    const section = this.sections.find(({ name }) => name === place.section);
    if (!section) return;
    if ("section" in dragged) {
      if (dragged.section === section.name) return;
      moveSection(this.layout, this.sections, dragged.section, section.name);
    } else {
      const over = place.card ? this.byElement.get(place.card) : undefined;
      if (over === dragged.card) return;
      this.layout.move(dragged.card.spec, section, over?.spec.id ?? null);
    }
    this.actions.changed();
  }
}
