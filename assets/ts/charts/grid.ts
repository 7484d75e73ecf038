import { make, makeIcon } from "../lib/dom";
import { recall, remember } from "../lib/store";
import { Card } from "./card";
import { type Place, placeOf } from "./places";
import type { Series } from "./series";
import type { View } from "./view";
import type { Kind } from "./wire";

/** Charts are drawn this far before they come into view. */
const MARGIN = "500px 0px";

interface Section {
  place: Place;
  element: HTMLDetailsElement;
  cards: HTMLElement;
  count: HTMLElement;
}

export interface GridOptions {
  kind: Kind;
  view: View;
  /** Storage name for which sections are closed. */
  store: string;
  needed(key: string): void;
  held(key: string): Series | undefined;
  enlarge(card: Card): void;
}

/** Sections of cards; only cards in view are drawn. */
export class Grid {
  private readonly cards = new Map<string, Card>();
  private readonly byElement = new WeakMap<Element, Card>();
  private readonly sections = new Map<string, Section>();
  private readonly closed: Set<string>;
  private readonly watcher: IntersectionObserver;
  private filterText = "";

  constructor(
    private readonly root: HTMLElement,
    private readonly options: GridOptions,
  ) {
    this.closed = new Set(recall<string[]>(options.store, []));
    this.watcher = new IntersectionObserver((entries) => this.watch(entries), { rootMargin: MARGIN });
    new ResizeObserver(() => this.each((card) => card.resize())).observe(root);
    const theme = new MutationObserver(() => this.each((card) => card.recolor()));
    theme.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
  }

  get size(): number {
    return this.cards.size;
  }

  has(key: string): boolean {
    return this.cards.has(key);
  }

  isVisible(key: string): boolean {
    return this.cards.get(key)?.visible ?? false;
  }

  visibleKeys(): string[] {
    return [...this.cards.values()].filter((card) => card.visible).map((card) => card.key);
  }

  /** Add cards for new keys; keys are kept in order of their titles. */
  add(keys: string[]): void {
    const placed = keys.map((key) => ({ key, place: placeOf(this.options.kind, key) }));
    placed.sort((a, b) => naturally(a.place.title, b.place.title));
    for (const { key, place } of placed) this.addCard(key, place);
    if (keys.length) this.filter(this.filterText);
  }

  show(key: string, series: Series): void {
    this.cards.get(key)?.show(series);
  }

  fail(key: string): void {
    this.cards.get(key)?.fail();
  }

  redraw(): void {
    this.each((card) => card.redraw());
  }

  /** Show cards whose key or title holds every word of `text`; returns how many. */
  filter(text: string): number {
    this.filterText = text;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let total = 0;
    for (const section of this.sections.values()) {
      let shown = 0;
      for (const element of section.cards.children) {
        const card = this.byElement.get(element);
        const haystack = `${card?.key} ${card?.title}`.toLowerCase();
        const matches = words.every((part) => haystack.includes(part));
        (element as HTMLElement).hidden = !matches;
        if (matches) shown += 1;
      }
      section.element.hidden = shown === 0;
      section.count.textContent = String(shown);
      if (words.length && shown) section.element.open = true;
      total += shown;
    }
    return total;
  }

  private addCard(key: string, place: Place): void {
    const card = new Card(key, place.title, this.options.view, {
      enlarge: this.options.enlarge,
      retry: () => this.options.needed(key),
    });
    this.cards.set(key, card);
    this.byElement.set(card.element, card);
    const { cards } = this.sectionAt(place);
    const after = [...cards.children].reverse().find((other) => {
      return naturally(this.byElement.get(other)?.title ?? "", place.title) <= 0;
    });
    if (after) after.after(card.element);
    else cards.prepend(card.element);
    this.watcher.observe(card.element);
  }

  private sectionAt(place: Place): Section {
    const known = this.sections.get(place.section);
    if (known) return known;
    const element = make("details", "chart-section");
    element.open = !this.closed.has(place.section);
    const summary = make("summary");
    const count = make("span", "count");
    summary.append(makeIcon("chevron-right"), make("h2", "", place.section), count);
    const cards = make("div", "chart-grid");
    element.append(summary, cards);
    element.addEventListener("toggle", () => this.rememberClosed(place.section, element.open));
    const section = { place, element, cards, count };
    const next = [...this.sections.values()]
      .sort((a, b) => compare(a.place, b.place))
      .find((other) => compare(place, other.place) < 0);
    this.root.insertBefore(element, next?.element ?? null);
    this.sections.set(place.section, section);
    return section;
  }

  private rememberClosed(name: string, open: boolean): void {
    if (this.filterText) return;
    if (open) this.closed.delete(name);
    else this.closed.add(name);
    remember(this.options.store, [...this.closed]);
  }

  private watch(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const card = this.byElement.get(entry.target);
      if (!card || card.visible === entry.isIntersecting) continue;
      card.visible = entry.isIntersecting;
      if (!card.visible) {
        card.rest();
        continue;
      }
      const series = this.options.held(card.key);
      if (series) card.show(series);
      this.options.needed(card.key);
    }
  }

  private each(act: (card: Card) => void): void {
    for (const card of this.cards.values()) if (card.visible) act(card);
  }
}

const collator = new Intl.Collator(document.documentElement.lang || "en", { numeric: true });

function naturally(a: string, b: string): number {
  return collator.compare(a, b);
}

function compare(a: Place, b: Place): number {
  return a.rank - b.rank || naturally(a.section, b.section);
}
