import { make, makeIcon, one } from "../../lib/dom";
import { word } from "../../lib/words";
import type { Tree } from "../state";
import type { RunsTable } from "../table";
import { hasCondition, partsOf, withCondition, withoutCondition, writeTree } from "./tree";

/** Chips that show what is filtered, each with a button to take it away; toggles for what is asked most (semantics 4). */
export function enableChips(table: RunsTable): void {
  const place = one<HTMLElement>("[data-chips]", table.root);
  const toggles = table.root.querySelectorAll<HTMLButtonElement>("[data-toggle-condition]");
  const draw = () => {
    const chips = partsOf(table.tree).map((part) => chip(table, part));
    if (table.state.search) chips.unshift(searchChip(table));
    for (const column of table.state.group) chips.push(groupChip(table, column));
    place.replaceChildren(...chips);
    place.hidden = !chips.length;
    for (const toggle of toggles)
      toggle.setAttribute("aria-pressed", String(hasCondition(table.tree, conditionOf(toggle))));
  };
  for (const toggle of toggles) {
    toggle.addEventListener("click", () => void switchCondition(table, conditionOf(toggle)));
  }
  table.addEventListener("drawn", draw);
  draw();
}

function chip(table: RunsTable, part: Tree): HTMLElement {
  const text = writeTree(part);
  return chipOf([make("code", "", text)], text, () => {
    void table.change({ filter: withoutCondition(table.tree, text) });
  });
}

function searchChip(table: RunsTable): HTMLElement {
  const text = word("nameHas", { text: table.state.search });
  return chipOf([make("span", "", text)], text, () => void table.change({ search: "" }));
}

function groupChip(table: RunsTable, column: string): HTMLElement {
  const text = word("groupedBy", { column });
  const group = table.state.group.filter((name) => name !== column);
  return chipOf([makeIcon("layers"), make("span", "", text)], text, () => void table.change({ group }));
}

function chipOf(content: Element[], text: string, remove: () => void): HTMLElement {
  const element = make("span", "chip");
  const button = make("button");
  button.type = "button";
  button.setAttribute("aria-label", word("removeCondition", { condition: text }));
  button.append(makeIcon("x"));
  button.addEventListener("click", remove);
  element.append(...content, button);
  return element;
}

function conditionOf(toggle: HTMLElement): string {
  return toggle.dataset.toggleCondition ?? "";
}

/** Add a condition to the filter, or take it away. */
async function switchCondition(table: RunsTable, condition: string): Promise<void> {
  const change = hasCondition(table.tree, condition) ? withoutCondition : withCondition;
  await table.change({ filter: change(table.tree, condition) });
}
