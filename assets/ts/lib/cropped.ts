import { make } from "./dom";

/** How much of a name's end stays; `_NAME_END` of common/templatetags/runyard.py. */
const END = 10;

/**
 * Write a name into an element with the class `crop`: the style sheet cuts it before the last `end` characters.
 * Browsers put a space between the parts in what they tell screen readers: the button around them needs a label.
 */
export function writeCropped(element: HTMLElement, name: string, end = END): void {
  if (element.textContent === name) return;
  const parts = make("bdi");
  parts.append(...croppable(name, end).map((part) => make("span", "", part)));
  element.replaceChildren(parts);
}

/** A name in two parts, of which the second stays when it is cut: its last `end` characters, but at most half. */
export function croppable(name: string, end = END): [start: string, end: string] {
  const cut = Math.max(Math.floor(name.length / 2), name.length - end);
  return [name.slice(0, cut), name.slice(cut)];
}
