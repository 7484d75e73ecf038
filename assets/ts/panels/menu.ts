import { make, makeIcon, one } from "../lib/dom";
import { word } from "../lib/words";
import { formOf } from "../table/copy";
import { type Card, clampHeight } from "./card";
import { DEFAULT_HEIGHT, type PanelSpec } from "./spec";

/** What the menu's items do. */
export interface MenuActions {
  edit(card: Card): void;
  remove(card: Card): void;
  shift(card: Card, places: number): void;
  resize(card: Card, part: Pick<PanelSpec, "span" | "height">): void;
  choose(card: Card, part: Partial<PanelSpec>): void;
}

const HEIGHT_STEP = 96;

/** Open the menu of a panel below its button; arrows, Home and End move in it. */
export function openMenu(card: Card, button: HTMLElement, actions: MenuActions): void {
  document.getElementById("panel-menu")?.remove();
  const menu = make("div", "menu panel-menu");
  menu.id = "panel-menu";
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  const item = (icon: string, text: string, act: () => void) => {
    const entry = make("button", "menu-item");
    entry.type = "button";
    entry.setAttribute("role", "menuitem");
    entry.append(makeIcon(icon), make("span", "", text));
    entry.addEventListener("click", () => {
      close();
      act();
    });
    menu.append(entry);
  };
  const close = () => {
    menu.hidePopover();
    button.focus();
  };
  const { span = 1, height = DEFAULT_HEIGHT } = card.spec;
  item("pencil", word("menuEdit"), () => actions.edit(card));
  menu.append(make("hr"));
  item("arrow-left", word("menuEarlier"), () => actions.shift(card, -1));
  item("arrow-right", word("menuLater"), () => actions.shift(card, 1));
  item("unfold-horizontal", word("menuWider"), () => actions.resize(card, { span: Math.min(6, span + 1) }));
  if (span > 1) item("fold-horizontal", word("menuNarrower"), () => actions.resize(card, { span: span - 1 }));
  item("unfold-vertical", word("menuTaller"), () =>
    actions.resize(card, { height: clampHeight(height + HEIGHT_STEP) }),
  );
  item("fold-vertical", word("menuShorter"), () =>
    actions.resize(card, { height: clampHeight(height - HEIGHT_STEP) }),
  );
  menu.append(make("hr"));
  const choices = card.panel?.choices?.() ?? [];
  for (const { icon, text, part } of choices) item(icon, text, () => actions.choose(card, part));
  if (choices.length) menu.append(make("hr"));
  if (card.panel?.picture || card.panel?.file) {
    item("image", word("menuPng"), () => void card.save("png"));
    item("image", word("menuSvg"), () => void card.save("svg"));
  }
  if (card.panel?.csv || card.panel?.csvAddress)
    item("download", word("menuCsv"), () => void card.save("csv"));
  if (card.panel?.texts) menu.append(copyItems());
  menu.addEventListener("click", (event) => {
    const form = formOf(event);
    if (!form) return;
    close();
    void card.copy(form, button);
  });
  menu.append(make("hr"));
  item("trash-2", word("menuRemove"), () => actions.remove(card));
  show(menu, button);
}

function copyItems(): Node {
  return one<HTMLTemplateElement>("template[data-copy-items]").content.cloneNode(true);
}

function show(menu: HTMLElement, button: HTMLElement): void {
  document.body.append(menu);
  menu.showPopover();
  const at = button.getBoundingClientRect();
  const top =
    at.bottom + menu.offsetHeight + 8 > innerHeight ? at.top - menu.offsetHeight - 4 : at.bottom + 4;
  menu.style.inset = "auto";
  menu.style.left = `${Math.max(8, at.right - menu.offsetWidth)}px`;
  menu.style.top = `${Math.max(8, top)}px`;
  menu.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") menu.remove();
  });
  const items = [...menu.querySelectorAll<HTMLElement>("button")];
  menu.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  });
  items[0]?.focus();
}
