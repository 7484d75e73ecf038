import { word } from "../lib/words";
import type { Section } from "./layout";
import { type MenuItem, popUp } from "./popup-menu";

/** What the menu's items do. */
export interface SectionMenuActions {
  add(section: Section): void;
  paste(section: Section): void;
  rename(section: Section): void;
  settings(section: Section): void;
  addBeside(section: Section, below: boolean): void;
  shift(section: Section, places: number): void;
  sort(section: Section): void;
  openAll(open: boolean): void;
  remove(section: Section): void;
}

/** Open the menu of a section below its button. */
export function openSectionMenu(
  section: Section,
  sections: readonly Section[],
  button: HTMLElement,
  actions: SectionMenuActions,
): void {
  const at = sections.indexOf(section);
  const item = (icon: string, key: string, act: () => void): MenuItem => ({ icon, text: word(key), act });
  popUp(button, "section-menu", [
    item("plus", "addPanel", () => actions.add(section)),
    item("clipboard-paste", "menuPaste", () => actions.paste(section)),
    null,
    item("pencil", "menuRename", () => actions.rename(section)),
    item("settings-2", "menuSectionSettings", () => actions.settings(section)),
    item("arrow-up-down", "menuSort", () => actions.sort(section)),
    null,
    ...(at > 0
      ? [
          item("arrow-up-to-line", "menuTop", () => actions.shift(section, -at)),
          item("arrow-up", "menuUp", () => actions.shift(section, -1)),
        ]
      : []),
    ...(at < sections.length - 1 ? [item("arrow-down", "menuDown", () => actions.shift(section, 1))] : []),
    item("panel-top", "menuAddAbove", () => actions.addBeside(section, false)),
    item("panel-bottom", "menuAddBelow", () => actions.addBeside(section, true)),
    null,
    item("unfold-vertical", "menuOpenAll", () => actions.openAll(true)),
    item("fold-vertical", "menuCloseAll", () => actions.openAll(false)),
    null,
    item("trash-2", "menuDeleteSection", () => actions.remove(section)),
  ]);
}
