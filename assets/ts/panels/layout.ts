import { collate } from "../lib/format";
import { DEFAULT_VIEW, isAdded, type PanelSpec, type PanelsState, readPanels, type View } from "./spec";

/** Sections are open until they have this many panels in all; then the rest starts closed. */
const OPEN_PANELS = 48;

export interface Section {
  name: string;
  rank: number;
  panels: PanelSpec[];
}

/** What keys brought about, changed by what a person did to it. */
export class Layout {
  private kept: PanelsState;

  constructor(
    kept: PanelsState,
    private readonly save: (state: PanelsState) => void,
    private readonly defaults: () => Partial<View> = () => ({}),
  ) {
    this.kept = readPanels(kept);
  }

  get view(): View {
    return { ...DEFAULT_VIEW, ...this.defaults(), ...this.kept.view };
  }

  get columns(): number {
    return this.kept.columns ?? 0;
  }

  get state(): PanelsState {
    return this.kept;
  }

  /** Take another state, such as a saved view's; an empty one undoes changes and removals of all panels. */
  replace(state: PanelsState): void {
    this.kept = readPanels(state);
    this.save(this.kept);
  }

  setView(part: Partial<View>): void {
    this.keep({ view: { ...this.kept.view, ...part } });
  }

  setColumns(columns: number): void {
    this.keep({ columns });
  }

  /** How a panel's lines are drawn. */
  viewOf(spec: PanelSpec): View {
    const own = Object.fromEntries(
      Object.keys(DEFAULT_VIEW)
        .map((name) => [name, spec[name as keyof View]])
        .filter(([, value]) => value !== undefined),
    );
    return { ...this.view, ...own };
  }

  /** Keep changes of one panel. */
  change(id: string, part: Partial<PanelSpec>): void {
    this.keep({ panels: { ...this.kept.panels, [id]: { ...this.kept.panels?.[id], ...part } } });
  }

  /** Keep the whole of what a panel is, apart from what its key says anyway. */
  put(spec: PanelSpec): void {
    this.keep({
      panels: { ...this.kept.panels, [spec.id]: spec },
      removed: this.removedWithout(spec.id),
    });
  }

  /** Returns what undoes it, whatever else has changed since. */
  remove(id: string): () => void {
    if (isAdded(id)) {
      const { [id]: spec = {}, ...panels } = this.kept.panels ?? {};
      this.keep({ panels });
      return () => this.change(id, spec);
    }
    this.keep({ removed: [...(this.kept.removed ?? []), id] });
    return () => this.keep({ removed: this.removedWithout(id) });
  }

  private removedWithout(id: string): string[] {
    return (this.kept.removed ?? []).filter((other) => other !== id);
  }

  get isChanged(): boolean {
    return Object.keys(this.kept).length > 0;
  }

  setOpen(section: string, open: boolean): void {
    this.keep({ open: { ...this.kept.open, [section]: open } });
  }

  /** Put a panel before another one of a section; null puts it last. */
  move(spec: PanelSpec, section: Section, before: string | null): void {
    const ids = section.panels.map(({ id }) => id).filter((id) => id !== spec.id);
    const at = before === null ? -1 : ids.indexOf(before);
    ids.splice(at < 0 ? ids.length : at, 0, spec.id);
    if (spec.section !== section.name) this.change(spec.id, { section: section.name, rank: section.rank });
    this.keep({ order: { ...this.kept.order, [section.name]: ids } });
  }

  /** Put a section before another one; null puts it last. */
  moveSection(sections: readonly Section[], name: string, before: string | null): void {
    const names = sections.map((section) => section.name).filter((other) => other !== name);
    const at = before === null ? -1 : names.indexOf(before);
    names.splice(at < 0 ? names.length : at, 0, name);
    this.keep({ sections: names });
  }

  /** Put panels into sections, both in their order. */
  arrange(generated: readonly PanelSpec[]): Section[] {
    const removed = new Set(this.kept.removed);
    const changed = this.kept.panels ?? {};
    const panels = generated
      .filter(({ id }) => !removed.has(id))
      .map((spec) => ({ ...spec, ...changed[spec.id], keys: changed[spec.id]?.keys ?? spec.keys }));
    for (const [id, spec] of Object.entries(changed)) if (isAdded(id)) panels.push(spec as PanelSpec);
    const sections = new Map<string, Section>();
    for (const panel of panels) {
      const section = sections.get(panel.section) ?? { name: panel.section, rank: panel.rank, panels: [] };
      sections.set(panel.section, section);
      section.panels.push(panel);
    }
    for (const section of sections.values()) this.sortPanels(section);
    const placed = placesOf(this.kept.sections);
    return [...sections.values()].sort(
      (a, b) =>
        (placed.get(a.name) ?? Infinity) - (placed.get(b.name) ?? Infinity) ||
        a.rank - b.rank ||
        collate(a.name, b.name),
    );
  }

  /** Which sections are open: those somebody opened, and as many of the first as are drawn at once. */
  openSections(sections: readonly Section[]): Set<string> {
    const open = new Set<string>();
    let panels = 0;
    for (const section of sections) {
      const fits = panels === 0 || panels + section.panels.length <= OPEN_PANELS;
      const chosen = this.kept.open?.[section.name];
      panels += section.panels.length;
      if (chosen ?? (fits && section.rank < CLOSED_RANK)) open.add(section.name);
    }
    return open;
  }

  private sortPanels(section: Section): void {
    const placed = placesOf(this.kept.order?.[section.name]);
    const place = (spec: PanelSpec) => placed.get(spec.id) ?? Number.MAX_SAFE_INTEGER;
    section.panels.sort(
      (a, b) => place(a) - place(b) || (a.order ?? 0) - (b.order ?? 0) || collate(a.title, b.title),
    );
  }

  private keep(part: Partial<PanelsState>): void {
    this.kept = { ...this.kept, ...part };
    this.save(this.kept);
  }
}

/** Sections of this rank and above start closed. */
export const CLOSED_RANK = 1000;

function placesOf(names: readonly string[] = []): Map<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}
