import { announce, toast } from "../lib/announce";
import { make, makeIconButton, one } from "../lib/dom";
import { word } from "../lib/words";
import type { Catalogue } from "./catalogue";
import { Combobox } from "./combobox";
import { columnOptions } from "./filter/complete";
import type { Pages } from "./pages";
import { openAt } from "./popup";
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
  enablePicker(table, catalogue);
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
  while (next && isInside(next, path)) {
    const after = next.nextElementSibling as HTMLElement | null;
    next.remove();
    next = after;
  }
}

function isInside(body: HTMLElement, path: unknown[]): boolean {
  const inner = JSON.parse(body.dataset.path || "[]") as unknown[];
  const deeper = inner.length > path.length || body.dataset.offset !== undefined;
  return deeper && path.every((value, index) => inner[index] === value);
}

function expander(body: HTMLElement): HTMLElement {
  return one<HTMLElement>("[data-expand]", body);
}

/** The popup in which columns to group by are chosen. */
function enablePicker(table: RunsTable, catalogue: Catalogue): void {
  const popup = one<HTMLElement>("#group-picker");
  const opener = one<HTMLButtonElement>("[data-group-open]", table.root);
  const list = one<HTMLElement>("[data-group-list]", popup);
  const input = one<HTMLInputElement>("input", popup);
  const badge = one<HTMLElement>("[data-group-count]", opener);
  const draw = () => {
    const { group } = table.state;
    badge.textContent = String(group.length);
    badge.hidden = !group.length;
    list.replaceChildren(...group.map((column, index) => pickedItem(table, column, index)));
  };
  new Combobox(input, {
    options: async () => {
      const columns = await catalogue.columns();
      const left = columns.filter(
        (column) => column.name !== "name" && !table.state.group.includes(column.name),
      );
      return columnOptions(left, input.value);
    },
    choose: ({ value }) => {
      input.value = "";
      void table.change({ group: [...table.state.group, value] });
    },
  });
  opener.addEventListener("click", () => openAt(popup, opener));
  table.addEventListener("state", draw);
  draw();
}

function pickedItem(table: RunsTable, column: string, index: number): HTMLElement {
  const { group } = table.state;
  const item = make("li", "picked");
  const earlier = makeIconButton("chevron-up", word("move_up", { column }));
  earlier.disabled = index === 0;
  earlier.addEventListener("click", () => {
    const order = group.filter((name) => name !== column);
    order.splice(index - 1, 0, column);
    void table.change({ group: order });
  });
  const remove = makeIconButton("x", word("remove"));
  remove.addEventListener(
    "click",
    () => void table.change({ group: group.filter((name) => name !== column) }),
  );
  item.append(
    make("span", "count", String(index + 1)),
    make("span", "truncate grow", column),
    earlier,
    remove,
  );
  return item;
}
