import { isTyping, one } from "../lib/dom";
import { edit } from "./edit";
import { focusCell } from "./pages";
import type { Selection } from "./selection";
import type { RunsTable } from "./table";

/**
 * The keyboard of the table: j/k or arrows walk the cells, x selects, Enter opens or edits, f filters, c shows columns.
 *
 * Cells can have focus, none is a stop of the Tab key but the links and boxes in them.
 */
export function enableKeys(table: RunsTable, selection: Selection): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open], :popover-open")) return;
    if (run(table, selection, event)) event.preventDefault();
  });
}

function run(table: RunsTable, selection: Selection, event: KeyboardEvent): boolean {
  const cell = focusedCell(table);
  switch (event.key) {
    case "f":
      one<HTMLElement>("[data-expression] input", table.root).focus();
      return true;
    case "c":
      one<HTMLElement>("[data-columns-open]", table.root).click();
      return true;
    case "j":
    case "ArrowDown":
      return (event.key === "j" || cell !== undefined) && walk(table, cell, 1);
    case "k":
    case "ArrowUp":
      return (event.key === "k" || cell !== undefined) && walk(table, cell, -1);
    case "ArrowRight":
      return sideways(cell, 1);
    case "ArrowLeft":
      return sideways(cell, -1);
    case "Escape":
      if (!selection.size) return false;
      selection.clear();
      return true;
    default:
      return onCell(table, selection, cell, event.key);
  }
}

function onCell(
  table: RunsTable,
  selection: Selection,
  cell: HTMLTableCellElement | undefined,
  key: string,
): boolean {
  const row = cell?.closest("tr");
  if (!cell || !row) return false;
  const uid = row.dataset.uid;
  if (key === "x" && uid !== undefined) selection.toggle(uid);
  else if (key === "F2") return edit(table, cell);
  else if (key === "Enter" && document.activeElement === cell) open(table, cell, row);
  else return false;
  return true;
}

function open(table: RunsTable, cell: HTMLTableCellElement, row: HTMLElement): void {
  const isName = table.columnOf(cell) === "name";
  if (!isName && edit(table, cell)) return;
  row.querySelector<HTMLElement>("[data-expand], th a")?.click();
}

function focusedCell(table: RunsTable): HTMLTableCellElement | undefined {
  const cell = document.activeElement?.closest<HTMLTableCellElement>("tbody :is(td, th)");
  return cell && table.scroll.contains(cell) ? cell : undefined;
}

function walk(table: RunsTable, cell: HTMLTableCellElement | undefined, by: number): boolean {
  const rows = [...table.scroll.querySelectorAll<HTMLTableRowElement>("tbody:not(.gap) > tr")];
  const row = cell?.closest("tr");
  const next = row ? rows[rows.indexOf(row) + by] : firstInView(table, rows);
  const index = cell ? cell.cellIndex : 1;
  const target = next?.cells[Math.max(1, index)];
  if (!target) return row !== undefined;
  focusCell(target);
  keepInView(table, target);
  return true;
}

function sideways(cell: HTMLTableCellElement | undefined, by: number): boolean {
  const next = by > 0 ? cell?.nextElementSibling : cell?.previousElementSibling;
  if (!(next instanceof HTMLElement) || next.matches(".pick, .rest")) return false;
  next.tabIndex = -1;
  next.focus();
  return true;
}

function firstInView(table: RunsTable, rows: HTMLElement[]): HTMLTableRowElement | undefined {
  const top = headBottom(table);
  return rows.find((row) => row.getBoundingClientRect().top >= top - 1) as HTMLTableRowElement | undefined;
}

function headBottom(table: RunsTable): number {
  return table.scroll.querySelector("thead")?.getBoundingClientRect().bottom ?? 0;
}

/** Scroll so that the header does not cover a row that has focus. */
function keepInView(table: RunsTable, cell: HTMLElement): void {
  const box = cell.getBoundingClientRect();
  const view = table.scroll.getBoundingClientRect();
  const above = headBottom(table) - box.top;
  const below = box.bottom - (view.top + table.scroll.clientHeight);
  if (above > 0) table.scroll.scrollTop -= above;
  else if (below > 0) table.scroll.scrollTop += below;
}
