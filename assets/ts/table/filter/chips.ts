import { make, makeIcon, one } from "../../lib/dom";
import { word } from "../../lib/words";
import type { Tree } from "../state";
import type { RunsTable } from "../table";
import { partsOf, writeTree } from "./tree";

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
      toggle.setAttribute("aria-pressed", String(isOn(table, conditionOf(toggle))));
  };
  for (const toggle of toggles) {
    toggle.addEventListener("click", () => void switchCondition(table, conditionOf(toggle)));
  }
  table.addEventListener("drawn", draw);
  draw();
}

function chip(table: RunsTable, part: Tree): HTMLElement {
  const text = writeTree(part);
  return chipOf([make("code", "", text)], text, () => without(table, text));
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

function isOn(table: RunsTable, condition: string): boolean {
  return partsOf(table.tree).some((part) => writeTree(part) === condition);
}

function without(table: RunsTable, condition: string): void {
  const rest = partsOf(table.tree).filter((part) => writeTree(part) !== condition);
  void table.change({ filter: writeTree({ all: rest }) });
}

/** Add a condition to the filter, or take it away. */
async function switchCondition(table: RunsTable, condition: string): Promise<void> {
  if (isOn(table, condition)) {
    without(table, condition);
    return;
  }
  const parts = partsOf(table.tree).map((part) => {
    const text = writeTree(part);
    return "any" in part ? `(${text})` : text;
  });
  await table.change({ filter: [...parts, condition].join(" and ") });
}
