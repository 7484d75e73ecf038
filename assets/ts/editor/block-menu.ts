import { keymap } from "@milkdown/kit/prose/keymap";
import type { Command } from "@milkdown/kit/prose/state";
import type { EditorView } from "@milkdown/kit/prose/view";
import { $prose } from "@milkdown/kit/utils";
import { make, makeIcon } from "../lib/dom";
import { word } from "../lib/words";
import { deleted, duplicated, moved, withBlock } from "./block-commands";

/** Keys for what the handle's menu does; they act on the outermost block around the cursor. */
export const blockKeys = $prose(() =>
  keymap({
    "Alt-ArrowUp": (state, dispatch) => moved(-1)(withBlock(state), dispatch),
    "Alt-ArrowDown": (state, dispatch) => moved(1)(withBlock(state), dispatch),
    "Mod-Shift-Backspace": (state, dispatch) => deleted(withBlock(state), dispatch),
  }),
);

/** A click on the handle of a block, which selects it, opens a menu with *Delete*; dragging it moves the block. */
export function enableBlockMenu(root: HTMLElement, view: EditorView): void {
  const menu = makeMenu(root, view);
  const name = () => {
    const [add, handle] = root.querySelectorAll<HTMLElement>(".milkdown-block-handle .operation-item");
    if (!add || !handle) return requestAnimationFrame(name);
    describe(add, word("blockAdd"));
    describe(handle, word("blockHandle"));
    handle.setAttribute("aria-haspopup", "menu");
    handle.addEventListener("click", () => open(menu, handle, root));
    return 0;
  };
  name();
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.hidden = true;
  });
}

function describe(element: HTMLElement, label: string): void {
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", label);
  element.title = label;
}

function makeMenu(root: HTMLElement, view: EditorView): HTMLElement {
  const menu = make("div", "menu block-menu");
  menu.setAttribute("role", "menu");
  menu.hidden = true;
  const items: [string, string, Command][] = [
    ["arrow-up", "blockUp", moved(-1)],
    ["arrow-down", "blockDown", moved(1)],
    ["copy", "blockDuplicate", duplicated],
    ["trash-2", "blockDelete", deleted],
  ];
  for (const [icon, key, act] of items) menu.append(makeItem(icon, word(key), () => finish(menu, view, act)));
  menu.addEventListener("keydown", (event) => onKey(event, menu, view));
  root.append(menu);
  return menu;
}

function makeItem(icon: string, label: string, act: () => void): HTMLButtonElement {
  const item = make("button", "menu-item");
  item.type = "button";
  item.setAttribute("role", "menuitem");
  item.append(makeIcon(icon), label);
  item.addEventListener("click", act);
  return item;
}

function finish(menu: HTMLElement, view: EditorView, act: Command): void {
  menu.hidden = true;
  act(view.state, view.dispatch);
  view.focus();
}

function onKey(event: KeyboardEvent, menu: HTMLElement, view: EditorView): void {
  const items = [...menu.querySelectorAll<HTMLElement>("button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    const next = items.indexOf(document.activeElement as HTMLElement) + step;
    items[(next + items.length) % items.length]?.focus();
  } else if (event.key === "Escape") finish(menu, view, () => false);
  else return;
  event.preventDefault();
}

function open(menu: HTMLElement, handle: HTMLElement, root: HTMLElement): void {
  const [at, frame] = [handle.getBoundingClientRect(), root.getBoundingClientRect()];
  menu.hidden = false;
  menu.style.left = `${at.left - frame.left}px`;
  menu.style.top = `${at.bottom - frame.top + 4}px`;
  // after the frame in which the block plugin gives the focus back to the text
  setTimeout(() => menu.querySelector<HTMLElement>("button")?.focus(), 50);
}
