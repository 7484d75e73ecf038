import { announce, offerUndo, toast } from "../lib/announce";
import { copyText } from "../lib/copy";
import { word } from "../lib/words";
import type { Card } from "../panels/card";
import type { Grid } from "../panels/grid";
import type { Layout, Section } from "../panels/layout";
import type { MenuActions } from "../panels/menu";
import { copiedText, keepCopied } from "../panels/paste";
import { popUp } from "../panels/popup-menu";
import type { Runs } from "../panels/runs";
import { newId, type PanelSpec } from "../panels/spec";
import { linkTo } from "./panel-link";

/** What the actions need of the page. */
export interface PanelPage {
  readonly layout: Layout;
  readonly runs: Runs;
  readonly grid: Grid;
  arranged(): readonly Section[];
  /** Put panels into their sections again. */
  arrange(): void;
  openEditor(spec: PanelSpec): void;
}

/** What the menu of a panel does. */
export class PanelActions implements MenuActions {
  constructor(private readonly page: PanelPage) {}

  edit({ spec }: Card): void {
    this.page.openEditor(this.page.layout.ownOf(spec));
  }

  /** Put a copy right behind the panel. */
  duplicate({ spec }: Card): void {
    const { layout } = this.page;
    const section = this.sectionOf(spec);
    const copy = { ...layout.ownOf(spec), id: newId() };
    const at = section?.panels.findIndex(({ id }) => id === spec.id) ?? -1;
    layout.put(copy);
    if (section) layout.move(copy, section, section.panels[at + 1]?.id ?? null);
    this.page.arrange();
    announce(word("panelDuplicated", { title: spec.title }));
  }

  moveTo(card: Card, button: HTMLElement): void {
    const others = this.page.arranged().filter(({ name }) => name !== card.spec.section);
    const items = others.map((section) => ({
      icon: "folder",
      text: section.title,
      act: () => {
        this.page.layout.move(card.spec, section, null);
        this.page.arrange();
        announce(word("panelMoved", { title: card.spec.title, section: section.title }));
      },
    }));
    if (items.length) popUp(button, "panel-menu", items);
    else toast(word("onlySection"));
  }

  copy({ spec, element }: Card): void {
    const text = copiedText(this.page.layout.ownOf(spec));
    keepCopied(text);
    void copyText(text, element);
    toast(word("panelCopied", { title: spec.title }), "success");
  }

  copyLink({ spec, element }: Card, full: boolean): void {
    void copyText(linkTo(spec.id, full), element).then((done) =>
      toast(word(done ? "linkCopied" : "copyFailed"), done ? "success" : "error"),
    );
  }

  remove({ spec }: Card): void {
    const { layout, runs } = this.page;
    runs.narrowing.clear(spec.id);
    const putBack = layout.remove(spec.id);
    this.page.arrange();
    offerUndo(word("panelRemoved", { title: spec.title }), () => {
      putBack();
      this.page.arrange();
    });
  }

  shift(card: Card, places: number): void {
    this.page.grid.shift(card, places);
  }

  resize(card: Card, part: Pick<PanelSpec, "span" | "height">): void {
    this.choose(card, part);
  }

  choose({ spec }: Card, part: Partial<PanelSpec>): void {
    this.page.layout.change(spec.id, part);
    this.page.arrange();
  }

  private sectionOf(spec: PanelSpec): Section | undefined {
    return this.page.arranged().find(({ name }) => name === spec.section);
  }
}
