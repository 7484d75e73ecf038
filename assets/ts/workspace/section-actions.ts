import { announce, offerUndo, toast } from "../lib/announce";
import { isTyping, one } from "../lib/dom";
import { word } from "../lib/words";
import type { Section } from "../panels/layout";
import { lastCopied, readCopied } from "../panels/paste";
import type { SectionMenuActions } from "../panels/section-menu";
import {
  addSection,
  deleteSection,
  openAll,
  renameSection,
  setSection,
  shiftSection,
  sortSection,
  visitorsOf,
} from "../panels/sections";
import type { PanelSpec } from "../panels/spec";
import type { PanelPage } from "./panel-actions";

/** What sections need of the page beside what panels do. */
export interface SectionPage extends PanelPage {
  /** Panels as they come without anybody's layout. */
  generated(): readonly PanelSpec[];
  /** Keys that a section's lines may lie along. */
  axes(): readonly string[];
  addTo(section: Section): void;
  /** Draw all panels again. */
  redraw(): void;
}

/** What the menu of a section does. */
export class SectionActions implements SectionMenuActions {
  private readonly dialog = one<HTMLDialogElement>("#delete-section");

  constructor(private readonly page: SectionPage) {}

  add(section: Section): void {
    this.page.addTo(section);
  }

  paste(section: Section): void {
    const spec = lastCopied(section);
    if (spec) this.put(spec);
    else toast(word("nothingCopied"));
  }

  /** A copied panel that is pasted anywhere on the page goes to the first section. */
  pasteText(event: ClipboardEvent): void {
    if (isTyping(event.target)) return;
    const spec = readCopied(event.clipboardData?.getData("text/plain") ?? "", this.page.arranged()[0]);
    if (spec) this.put(spec);
  }

  /** Put a pasted panel at the end of its section. */
  put(spec: PanelSpec): void {
    this.page.layout.put(spec);
    this.page.arrange();
    this.page.grid.cardOf(spec.id)?.reveal();
    announce(word("panelPasted", { title: spec.title }));
  }

  rename({ name, title }: Section): void {
    void this.openForm({ name, title }, true);
  }

  settings({ name, title }: Section): void {
    void this.openForm({ name, title }, false);
  }

  addBeside(section: Section, below: boolean): void {
    const sections = this.page.arranged();
    const before = sections[sections.indexOf(section) + (below ? 1 : 0)]?.name ?? null;
    this.addBefore(before);
  }

  /** Add a section, and ask how it is called. */
  addBefore(before: string | null): void {
    const { layout } = this.page;
    const title = word("newSection");
    const name = addSection(layout, this.page.arranged(), title, before);
    this.page.arrange();
    void this.openForm({ name, title: name }, true);
  }

  shift({ name, title }: Section, places: number): void {
    if (!shiftSection(this.page.layout, this.page.arranged(), name, places)) return;
    this.page.arrange();
    const sections = this.page.arranged();
    const n = sections.findIndex((section) => section.name === name) + 1;
    announce(`${title}: ${word("movedTo", { n, of: sections.length })}`);
  }

  sort(section: Section): void {
    sortSection(this.page.layout, section);
    this.page.arrange();
    announce(word("sectionSorted", { section: section.title }));
  }

  openAll(open: boolean): void {
    openAll(this.page.layout, this.page.arranged(), open);
    this.page.arrange();
  }

  /** Ask where panels of other sections go; all others go with the section. */
  remove(section: Section): void {
    const visitors = visitorsOf(section, this.page.generated());
    if (!section.panels.length) {
      this.delete(section, []);
      return;
    }
    one("h2", this.dialog).textContent = word("deleteSection", { section: section.title });
    one<HTMLElement>("[data-visitors]", this.dialog).hidden = !visitors.length;
    const back = one<HTMLElement>("[data-return-panels]", this.dialog);
    back.hidden = !visitors.length;
    back.onclick = () => this.delete(section, visitors);
    one<HTMLElement>("[data-delete-section]", this.dialog).onclick = () => this.delete(section, []);
    this.dialog.showModal();
  }

  private delete(section: Section, returning: readonly PanelSpec[]): void {
    const { layout } = this.page;
    const before = layout.state;
    deleteSection(layout, section, returning);
    this.page.arrange();
    offerUndo(word("sectionDeleted", { section: section.title }), () => {
      layout.replace(before);
      this.page.redraw();
    });
  }

  private async openForm({ name, title }: Pick<Section, "name" | "title">, isName: boolean): Promise<void> {
    const { openSectionForm } = await import("../panels/section-form");
    const { layout } = this.page;
    openSectionForm(title, isName ? null : layout.settingsOf(name), this.page.axes(), (called, settings) => {
      renameSection(layout, name, called);
      if (settings) setSection(layout, name, settings);
      this.page.redraw();
    });
  }
}
