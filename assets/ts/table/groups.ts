import { announce, toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import type { Catalogue } from "./catalogue";
import { enableGroupPicker } from "./group-picker";
import type { Pages } from "./pages";
import { getText } from "./server";
import type { RunsTable } from "./table";

/** Groups that open to groups of the next column, and in the end to runs; asked for when opened (RUN-23). */
export function enableGroups(table: RunsTable, pages: Pages, catalogue: Catalogue): void {
  const opened = new Set<string>();
  table.scroll.addEventListener("click", (event) => {
    const target = event.target as Element;
    const more = target.closest<HTMLButtonElement>("[data-more-groups]");
    if (more) void showMore(table, more);
    const body = target.closest<HTMLTableSectionElement>("tbody.group");
    if (!body || target.closest("a, .pick")) return;
    if (target.closest("[data-expand]") || target.closest("th")) void toggle(table, pages, body, opened);
  });
  let grouped = table.state.group.join();
  table.addEventListener("drawn", () => {
    if (grouped !== table.state.group.join()) opened.clear();
    grouped = table.state.group.join();
    for (const body of table.scroll.querySelectorAll<HTMLTableSectionElement>("tbody.group")) {
      if (opened.has(body.dataset.path ?? "")) void open(table, pages, body, opened);
    }
  });
  const opener = one<HTMLElement>("[data-group-open]", table.root);
  const draw = enableGroupPicker(opener, catalogue, {
    group: () => table.state.group,
    change: (group) => void table.change({ group }),
  });
  table.addEventListener("state", draw);
}

async function toggle(
  table: RunsTable,
  pages: Pages,
  body: HTMLTableSectionElement,
  opened: Set<string>,
): Promise<void> {
  if (expander(body).getAttribute("aria-expanded") === "true") close(body, opened);
  else await open(table, pages, body, opened);
}

async function open(
  table: RunsTable,
  pages: Pages,
  body: HTMLTableSectionElement,
  opened: Set<string>,
): Promise<void> {
  const path = body.dataset.path ?? "";
  const button = expander(body);
  if (button.getAttribute("aria-expanded") === "true") return;
  button.setAttribute("aria-expanded", "true");
  opened.add(path);
  if (body.dataset.last !== undefined) {
    pages.add(body, Number(body.dataset.count), path);
  } else {
    try {
      const drawn = document.createElement("template");
      drawn.innerHTML = `<table>${await getText(table.partUrl("groups", { path }))}</table>`;
      const inner = [...drawn.content.querySelectorAll<HTMLTableSectionElement>("tbody")];
      body.after(...inner);
      for (const group of inner) {
        if (opened.has(group.dataset.path ?? "")) await open(table, pages, group, opened);
      }
    } catch {
      close(body, opened);
      toast(word("requestFailed"), "error");
      return;
    }
  }
  announce(word("groupOpened", { count: body.dataset.count ?? "" }));
}

/** Put the next groups of a level where the button for them was. */
async function showMore(table: RunsTable, button: HTMLButtonElement): Promise<void> {
  const place = button.closest("tbody") as HTMLTableSectionElement;
  const { inside: path = "[]", from: offset = "0" } = place.dataset;
  button.disabled = true;
  try {
    const drawn = document.createElement("template");
    drawn.innerHTML = `<table>${await getText(table.partUrl("groups", { path, offset }))}</table>`;
    const bodies = [...drawn.content.querySelectorAll<HTMLTableSectionElement>("tbody")];
    place.replaceWith(...bodies);
    bodies[0]?.querySelector<HTMLElement>("[data-expand]")?.focus();
  } catch {
    button.disabled = false;
    toast(word("requestFailed"), "error");
  }
}

function close(body: HTMLTableSectionElement, opened: Set<string>): void {
  const path = JSON.parse(body.dataset.path ?? "[]") as unknown[];
  expander(body).setAttribute("aria-expanded", "false");
  opened.delete(body.dataset.path ?? "");
  let next = body.nextElementSibling as HTMLElement | null;
  while (next && isBelow(next, path)) {
    const after = next.nextElementSibling as HTMLElement | null;
    next.remove();
    next = after;
  }
}

function isBelow(body: HTMLElement, path: unknown[]): boolean {
  const inner = JSON.parse(body.dataset.path || "[]") as unknown[];
  return isInside(inner, body.dataset.offset !== undefined, path);
}

/** Whether a body is inside of the group at a path: a deeper group, or a page of runs of it or of a deeper one. */
export function isInside(inner: readonly unknown[], hasRuns: boolean, path: readonly unknown[]): boolean {
  const deeper = inner.length > path.length || hasRuns;
  return deeper && path.every((value, index) => inner[index] === value);
}

function expander(body: HTMLElement): HTMLElement {
  return one<HTMLElement>("[data-expand]", body);
}
