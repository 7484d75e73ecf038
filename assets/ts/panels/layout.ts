import { collate } from "../lib/format";
import { entryOf } from "../lib/record";
import {
  DEFAULT_VIEW,
  isAdded,
  type PanelSpec,
  type PanelsState,
  readPanels,
  type SectionSettings,
  type View,
} from "./spec";

/** Sections are open until they have this many panels in all; then the rest starts closed. */
const OPEN_PANELS = 48;
/** Sections of this rank and above start closed. */
export const CLOSED_RANK = 1000;
/** Added sections come before those that start closed. */
const ADDED_RANK = CLOSED_RANK - 1;
/** What a section's settings say of its panels beside how they are drawn. */
const FRAME_SETTINGS = ["yMin", "yMax", "height"] as const;

/** What an added panel says of itself; a program may have left some of it out. */
const BLANK = { kind: "line", source: "history", section: "", rank: 0, title: "", keys: [] };

export interface Section {
  /** What it is kept under. */
  name: string;
  title: string;
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

  get isManual(): boolean {
    return this.kept.mode === "manual";
  }

  get state(): PanelsState {
    return this.kept;
  }

  /** Take another state, such as a saved view's; an empty one undoes changes and removals of all panels. */
  replace(state: PanelsState): void {
    this.kept = readPanels(state);
    this.save(this.kept);
  }

  /** Keep some parts of the state. */
  keep(part: Partial<PanelsState>): void {
    this.kept = { ...this.kept, ...part };
    this.save(this.kept);
  }

  setView(part: Partial<View>): void {
    this.keep({ view: { ...this.kept.view, ...part } });
  }

  setColumns(columns: number): void {
    this.keep({ columns });
  }

  /** How all panels of a section are drawn. */
  settingsOf(section: string): SectionSettings {
    return entryOf(this.kept.settings, section) ?? {};
  }

  /** How a panel's lines are drawn: as the workspace says, unless its section or the panel itself does. */
  viewOf(spec: PanelSpec): View {
    return { ...this.view, ...viewIn(this.settingsOf(spec.section)), ...viewIn(spec) };
  }

  /** Keep changes of one panel. */
  change(id: string, part: Partial<PanelSpec>): void {
    this.keep({ panels: { ...this.kept.panels, [id]: { ...entryOf(this.kept.panels, id), ...part } } });
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

  setOpen(section: string, open: boolean): void {
    this.keep({ open: { ...this.kept.open, [section]: open } });
  }

  /** Put a panel before another one of a section; null puts it last. */
  move(spec: PanelSpec, section: Section, before: string | null): void {
    const ids = section.panels.map(({ id }) => id).filter((id) => id !== spec.id);
    const at = before === null ? -1 : ids.indexOf(before);
    ids.splice(at < 0 ? ids.length : at, 0, spec.id);
    if (spec.section !== section.name)
      this.change(spec.id, { section: section.name, rank: section.rank, group: "" });
    this.keep({ order: { ...this.kept.order, [section.name]: ids } });
  }

  /** A panel without what only its section says of it. */
  ownOf(spec: PanelSpec): PanelSpec {
    const settings = this.settingsOf(spec.section);
    const { problem: _problem, ...own } = spec;
    for (const name of FRAME_SETTINGS) {
      const isOwn = entryOf(this.kept.panels, spec.id)?.[name] !== undefined;
      if (!isOwn && settings[name] === own[name]) delete own[name];
    }
    return own;
  }

  /** Put panels into sections, both in their order. */
  arrange(generated: readonly PanelSpec[]): Section[] {
    const sections = new Map<string, Section>();
    const sectionOf = (name: string, rank: number) => {
      const title = entryOf(this.kept.titles, name) ?? name;
      const section = sections.get(name) ?? { name, title, rank, panels: [] };
      sections.set(name, section);
      return section;
    };
    for (const panel of this.panelsOf(generated)) sectionOf(panel.section, panel.rank).panels.push(panel);
    for (const name of this.kept.added ?? []) sectionOf(name, ADDED_RANK);
    for (const section of sections.values()) this.sortPanels(section);
    const placed = placesOf(this.kept.sections);
    return [...sections.values()].sort(
      (a, b) =>
        (placed.get(a.name) ?? Number.MAX_SAFE_INTEGER) - (placed.get(b.name) ?? Number.MAX_SAFE_INTEGER) ||
        a.rank - b.rank ||
        collate(a.title, b.title),
    );
  }

  /** Which sections are open: those somebody opened, and as many of the first as are drawn at once. */
  openSections(sections: readonly Section[]): Set<string> {
    const open = new Set<string>();
    let panels = 0;
    for (const section of sections) {
      const fits = panels === 0 || panels + section.panels.length <= OPEN_PANELS;
      const isShown = fits && (section.rank < CLOSED_RANK || section === sections[0]);
      panels += section.panels.length;
      if (entryOf(this.kept.open, section.name) ?? isShown) open.add(section.name);
    }
    return open;
  }

  private panelsOf(generated: readonly PanelSpec[]): PanelSpec[] {
    const removed = new Set(this.kept.removed);
    const changed = this.kept.panels ?? {};
    const frame = (section: string) => frameOf(this.settingsOf(section));
    const panels = (this.isManual ? [] : generated)
      .filter(({ id }) => !removed.has(id))
      .map((spec) => {
        const own = entryOf(changed, spec.id);
        const section = own?.section ?? spec.section;
        const elsewhere = section === spec.section ? {} : { group: "" }; // its heading says nothing there
        return { ...spec, ...frame(section), ...own, ...elsewhere, keys: own?.keys ?? spec.keys };
      });
    for (const [id, spec] of Object.entries(changed))
      if (isAdded(id)) panels.push({ ...BLANK, ...frame(spec.section ?? ""), ...(spec as PanelSpec), id });
    return panels;
  }

  private sortPanels(section: Section): void {
    const placed = placesOf(entryOf(this.kept.order, section.name));
    const place = (spec: PanelSpec) => placed.get(spec.id) ?? Number.MAX_SAFE_INTEGER;
    section.panels.sort(
      (a, b) => place(a) - place(b) || (a.order ?? 0) - (b.order ?? 0) || collate(a.title, b.title),
    );
  }
}

/** What of a panel or of a section's settings says how lines are drawn. */
function viewIn(given: Partial<View>): Partial<View> {
  const names = Object.keys(DEFAULT_VIEW) as (keyof View)[];
  return Object.fromEntries(
    names.map((name) => [name, given[name]]).filter(([, value]) => value !== undefined),
  );
}

function frameOf(settings: SectionSettings): Partial<PanelSpec> {
  const pairs = FRAME_SETTINGS.map((name) => [name, settings[name]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function placesOf(names: readonly string[] = []): Map<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}
