import { one } from "../lib/dom";
import { movedBefore, type Shown, withColumns, withoutColumns, withPin } from "./layout-changes";
import { openAt, walkMenu } from "./popup";
import {
  isRunningFirst,
  type OrderPart,
  orderAfterClick,
  readOrder,
  withRunningFirst,
  writeOrder,
} from "./state";
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

function sortByClick(table: RunsTable, column: string, also: boolean): void {
  const { goal, type } = table.headOf(column)?.dataset ?? {};
  const fallsFirst = goal ? goal === "maximize" : type !== "text";
  void sort(table, orderAfterClick(readOrder(table.state.order), column, also, fallsFirst));
}

/** Hide a column. */
export async function hide(table: RunsTable, ...columns: string[]): Promise<void> {
  await table.changeLayout(withoutColumns(layoutOf(table), columns));
}

/** Show columns after those that are shown. */
export async function show(table: RunsTable, ...columns: string[]): Promise<void> {
  await table.changeLayout(withColumns(layoutOf(table), columns));
}

/** Keep a column beside the name, or let it go. */
export async function pin(table: RunsTable, column: string, pinned: boolean): Promise<void> {
  await table.changeLayout(withPin(layoutOf(table), column, pinned));
}

/** Move a column to where `before` is ("" for the end); among pinned ones it is pinned. */
export async function move(table: RunsTable, column: string, before: string): Promise<void> {
  if (column !== before) await table.changeLayout(movedBefore(layoutOf(table), column, before));
}

/** What changes of the columns begin from. */
export function layoutOf({ shown, state }: RunsTable): Shown {
  return { shown, columns: state.columns };
}
