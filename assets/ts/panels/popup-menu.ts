import { make, makeIcon } from "../lib/dom";

/** One line of a menu; null is a rule between lines. */
export type MenuItem = { icon: string; text: string; act: () => void } | null;

/** Open a menu below its button; arrows, Home and End move in it. */
export function popUp(button: HTMLElement, id: string, items: readonly MenuItem[]): HTMLElement {
  document.getElementById(id)?.remove();
  const menu = make("div", "menu panel-menu");
  menu.id = id;
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  for (const item of items) menu.append(item ? entryOf(menu, button, item) : make("hr"));
  show(menu, button);
  return menu;
}

/** Close a menu, and give the focus back to its button. */
export function closeMenu(menu: HTMLElement, button: HTMLElement): void {
  menu.hidePopover();
  button.focus();
}

function entryOf(
  menu: HTMLElement,
  button: HTMLElement,
  { icon, text, act }: NonNullable<MenuItem>,
): HTMLElement {
  const entry = make("button", "menu-item");
  entry.type = "button";
  entry.setAttribute("role", "menuitem");
  entry.append(makeIcon(icon), make("span", "", text));
  entry.addEventListener("click", () => {
    closeMenu(menu, button);
    act();
  });
  return entry;
}

function show(menu: HTMLElement, button: HTMLElement): void {
  document.body.append(menu);
  menu.showPopover();
  place(menu, button);
  menu.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") menu.remove();
  });
  menu.addEventListener("keydown", (event) => {
    const items = [...menu.querySelectorAll<HTMLElement>("button")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  });
  menu.querySelector<HTMLElement>("button")?.focus();
}

/** Below the button, or above it where there is more room. */
export function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const isLow = at.bottom + menu.offsetHeight + 8 > innerHeight;
  const top = isLow ? at.top - menu.offsetHeight - 4 : at.bottom + 4;
  menu.style.inset = "auto";
  menu.style.left = `${Math.max(8, at.right - menu.offsetWidth)}px`;
  menu.style.top = `${Math.max(8, top)}px`;
}
