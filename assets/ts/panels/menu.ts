import { make, one } from "../lib/dom";
import { word } from "../lib/words";
import { formOf } from "../table/copy";
import type { Card } from "./card";
import { closeMenu, type MenuItem, place, popUp } from "./popup-menu";
import { clampHeight, DEFAULT_HEIGHT, type PanelSpec } from "./spec";

/** What the menu's items do. */
export interface MenuActions {
  edit(card: Card): void;
  duplicate(card: Card): void;
  moveTo(card: Card, button: HTMLElement): void;
  copy(card: Card): void;
  copyLink(card: Card, full: boolean): void;
  remove(card: Card): void;
  shift(card: Card, places: number): void;
  resize(card: Card, part: Pick<PanelSpec, "span" | "height">): void;
  choose(card: Card, part: Partial<PanelSpec>): void;
}

const HEIGHT_STEP = 96;
const WIDEST = 6;

/** Open the menu of a panel below its button. */
export function openMenu(card: Card, button: HTMLElement, actions: MenuActions): void {
  const choices = (card.panel?.choices?.() ?? []).map(({ icon, text, part }) => ({
    ...{ icon, text },
    act: () => actions.choose(card, part),
  }));
  const files = fileItems(card);
  const menu = popUp(button, "panel-menu", [
    { icon: "pencil", text: word("menuEdit"), act: () => actions.edit(card) },
    { icon: "copy-plus", text: word("menuDuplicate"), act: () => actions.duplicate(card) },
    { icon: "folder-input", text: word("menuMoveTo"), act: () => actions.moveTo(card, button) },
    null,
    { icon: "copy", text: word("menuCopy"), act: () => actions.copy(card) },
    { icon: "link", text: word("menuLink"), act: () => actions.copyLink(card, false) },
    { icon: "maximize-2", text: word("menuFullLink"), act: () => actions.copyLink(card, true) },
    null,
    ...sizeItems(card, actions),
    ...(choices.length ? [null, ...choices] : []),
    ...(files.length ? [null, ...files] : []),
    null,
    { icon: "trash-2", text: word("menuRemove"), act: () => actions.remove(card) },
  ]);
  if (card.panel?.texts) addCopyItems(menu, card, button);
}

function sizeItems(card: Card, actions: MenuActions): MenuItem[] {
  const { span = 1, height = DEFAULT_HEIGHT } = card.spec;
  const higher = (by: number) => actions.resize(card, { height: clampHeight(height + by) });
  const narrower = { icon: "fold-horizontal", text: word("menuNarrower") };
  return [
    { icon: "arrow-left", text: word("menuEarlier"), act: () => actions.shift(card, -1) },
    { icon: "arrow-right", text: word("menuLater"), act: () => actions.shift(card, 1) },
    {
      icon: "unfold-horizontal",
      text: word("menuWider"),
      act: () => actions.resize(card, { span: Math.min(WIDEST, span + 1) }),
    },
    ...(span > 1 ? [{ ...narrower, act: () => actions.resize(card, { span: span - 1 }) }] : []),
    { icon: "unfold-vertical", text: word("menuTaller"), act: () => higher(HEIGHT_STEP) },
    { icon: "fold-vertical", text: word("menuShorter"), act: () => higher(-HEIGHT_STEP) },
  ];
}

function fileItems(card: Card): MenuItem[] {
  const { panel } = card;
  const items: MenuItem[] = [];
  if (panel?.picture || panel?.file) {
    items.push({ icon: "image", text: word("menuPng"), act: () => void card.save("png") });
    items.push({ icon: "image", text: word("menuSvg"), act: () => void card.save("svg") });
  }
  if (panel?.csv || panel?.csvAddress)
    items.push({ icon: "download", text: word("menuCsv"), act: () => void card.save("csv") });
  return items;
}

/** The table that the panel shows, in the forms in which tables are copied; before the last item. */
function addCopyItems(menu: HTMLElement, card: Card, button: HTMLElement): void {
  const items = one<HTMLTemplateElement>("template[data-copy-items]").content.cloneNode(true);
  menu.lastElementChild?.before(items, make("hr"));
  menu.addEventListener("click", (event) => {
    const form = formOf(event);
    if (!form) return;
    closeMenu(menu, button);
    void card.copy(form, button);
  });
  place(menu, button);
}
