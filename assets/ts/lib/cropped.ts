import { make } from "./dom";

/** How much of a name's end stays; `_NAME_END` of common/templatetags/runyard.py. */
const END = 10;

/**
 * Write a name into an element with the class `crop`: the style sheet cuts it before the last `end` characters.
 * Browsers put a space between the parts in what they tell screen readers: the button around them needs a label.
 */
export function writeCropped(element: HTMLElement, name: string, end = END): void {
  if (element.textContent === name) return;
  const cut = Math.max(Math.floor(name.length / 2), name.length - end);
  const parts = make("bdi");
  parts.append(make("span", "", name.slice(0, cut)), make("span", "", name.slice(cut)));
  element.replaceChildren(parts);
}
