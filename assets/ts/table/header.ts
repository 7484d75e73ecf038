import { one } from "../lib/dom";
import { openAt, walkMenu } from "./popup";
import { isRunningFirst, type OrderPart, readOrder, withRunningFirst, writeOrder } from "./state";
import type { RunsTable } from "./table";

/** Sort by a click on a header, with shift after what is sorted already; the menu of each column (RUN-21). */
export function enableHeader(table: RunsTable): void {
  const menu = one<HTMLElement>("#column-menu");
  let column = "";
  walkMenu(menu);
  table.scroll.addEventListener("click", (event) => {
    const target = event.target as Element;
    const header = target.closest<HTMLElement>("thead th[data-column]");
    if (!header) return;
    column = header.dataset.column ?? "";
    const opener = target.closest<HTMLElement>("[data-column-menu]");
    if (opener) openMenu(table, menu, column, opener);
    else if (target.closest("[data-sort]")) sortByClick(table, column, event.shiftKey);
  });
  menu.addEventListener("click", (event) => {
    const act = (event.target as Element).closest<HTMLElement>("[data-act]")?.dataset.act;
    if (!act) return;
    menu.hidePopover();
    void runAct(table, act, column);
  });
}

function openMenu(table: RunsTable, menu: HTMLElement, column: string, opener: HTMLElement): void {
  const pinned = table.state.columns.pinned.includes(column);
  const isName = column === "name";
  const isGrouped = table.state.group.includes(column);
  const hasBars = table.state.columns.bars.includes(column);
  const hidden = {
    bars: hasBars || !canHaveBars(table, column),
    nobars: !hasBars,
    pin: pinned || isName,
    unpin: !pinned,
    hide: isName,
    group: isGrouped,
    ungroup: !isGrouped,
  };
  for (const [act, hide] of Object.entries(hidden)) one<HTMLElement>(`[data-act=${act}]`, menu).hidden = hide;
  openAt(menu, opener);
}

/** Whether a column holds numbers of config or summary. */
function canHaveBars(table: RunsTable, column: string): boolean {
  const type = table.headOf(column)?.dataset.type;
  return column.includes(".") && (type === "number" || type === "mixed");
}

async function runAct(table: RunsTable, act: string, column: string): Promise<void> {
  const { group } = table.state;
  if (act === "asc" || act === "desc") await sortBy(table, column, act === "desc");
  else if (act === "group") await table.change({ group: [...group, column] });
  else if (act === "ungroup") await table.change({ group: group.filter((name) => name !== column) });
  else if (act === "bars") await table.changeLayout({ bars: [...table.state.columns.bars, column] });
  else if (act === "nobars")
    await table.changeLayout({ bars: table.state.columns.bars.filter((name) => name !== column) });
  else if (act === "pin") await pin(table, column, true);
  else if (act === "unpin") await pin(table, column, false);
  else await hide(table, column);
}

async function sortBy(table: RunsTable, column: string, falling: boolean): Promise<void> {
  await sort(table, [{ column, falling }]);
}

/** Sort by columns; whether running runs come first stays as it is. */
async function sort(table: RunsTable, parts: OrderPart[]): Promise<void> {
  await table.change({ order: withRunningFirst(writeOrder(parts), isRunningFirst(table.state.order)) });
}

/** First click: the best on top, else numbers and times falling; then the other way; then as by default. */
function sortByClick(table: RunsTable, column: string, also: boolean): void {
  const parts = readOrder(table.state.order);
  const now = parts.find((part) => part.column === column);
  const { goal, type } = table.headOf(column)?.dataset ?? {};
  const fallsFirst = goal ? goal === "maximize" : type !== "text";
  const isBack = now !== undefined && now.falling !== fallsFirst;
  const next = isBack ? [] : [{ column, falling: now ? !now.falling : fallsFirst }];
  const others = also ? parts.filter((part) => part.column !== column) : [];
  const same = also && now && !isBack;
  const order = same ? parts.map((part) => (part === now ? (next[0] ?? part) : part)) : [...others, ...next];
  void sort(table, order);
}

/** Hide a column. */
export async function hide(table: RunsTable, ...columns: string[]): Promise<void> {
  const { pinned, hidden } = table.state.columns;
  await table.changeLayout({
    order: table.shown.filter((name) => !columns.includes(name)),
    pinned: pinned.filter((name) => !columns.includes(name)),
    hidden: [...new Set([...hidden, ...columns])],
  });
}

/** Show columns after those that are shown. */
export async function show(table: RunsTable, ...columns: string[]): Promise<void> {
  const added = columns.filter((name) => !table.shown.includes(name));
  const hidden = table.state.columns.hidden.filter((name) => !columns.includes(name));
  await table.changeLayout({ order: [...table.shown, ...added], hidden });
}

/** Keep a column beside the name, or let it go. */
export async function pin(table: RunsTable, column: string, pinned: boolean): Promise<void> {
  const others = table.state.columns.pinned.filter((name) => name !== column);
  const pins = pinned ? [...others, column] : others;
  const rest = table.shown.filter((name) => !pins.includes(name));
  await table.changeLayout({ pinned: pins, order: [...pins, ...rest] });
}

/** Move a column to where `before` is ("" for the end); among pinned ones it is pinned. */
export async function move(table: RunsTable, column: string, before: string): Promise<void> {
  if (column === before) return;
  const rest = table.shown.filter((name) => name !== column);
  const index = before ? rest.indexOf(before) : rest.length;
  const order = [...rest.slice(0, index), column, ...rest.slice(index)];
  const pins = new Set(table.state.columns.pinned);
  const place = order.indexOf(column);
  const after = order[place + 1];
  if (after !== undefined && pins.has(after)) pins.add(column);
  else if (place > 0 && !pins.has(order[place - 1] ?? "")) pins.delete(column);
  await table.changeLayout({ order, pinned: order.filter((name) => pins.has(name)) });
}
