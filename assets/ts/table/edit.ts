import { toast } from "../lib/announce";
import { make } from "../lib/dom";
import { word } from "../lib/words";
import { performBulkAction } from "./bulk-actions";
import { focusCell } from "./pages";
import type { RunsTable } from "./table";

/** What is edited in place, and the act that writes it. */
const ACTS: Record<string, string> = { name: "rename", notes: "note", tags: "tag" };

/** Edit name, notes and tags in their cell: by double click, or by Enter or F2 on the cell. */
export function enableEditing(table: RunsTable): void {
  table.scroll.addEventListener("dblclick", (event) => {
    const cell = (event.target as Element).closest<HTMLTableCellElement>("tr[data-editable] :is(td, th)");
    if (cell && edit(table, cell)) event.preventDefault();
  });
}

/** Open the editor of a cell; false where there is none. */
export function edit(table: RunsTable, cell: HTMLTableCellElement): boolean {
  const row = cell.closest<HTMLElement>("tr[data-editable]");
  const column = table.columnOf(cell);
  const act = ACTS[column];
  if (!row || !act || cell.dataset.editing !== undefined) return false;
  const before = textOf(row, cell, column);
  const field = column === "notes" ? make("textarea", "cell-editor") : make("input", "cell-editor");
  field.value = before;
  field.setAttribute("aria-label", word(`edit_${column}`, { name: row.dataset.name ?? "" }));
  if (column === "tags") field.setAttribute("placeholder", word("tagsByCommas"));
  cell.dataset.editing = "";
  cell.append(field);
  field.focus();
  field.select();
  let open = true;
  const end = (write: boolean) => {
    if (!open) return;
    open = false;
    const inside = cell.contains(document.activeElement);
    field.remove();
    delete cell.dataset.editing;
    if (inside) focusCell(cell);
    if (write && field.value !== before) void save(table, row.dataset.uid ?? "", act, before, field.value);
  };
  field.addEventListener("blur", () => end(true));
  (field as HTMLElement).addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") end(false);
    else if (event.key === "Enter" && !event.shiftKey) end(true);
    else return;
    event.preventDefault();
  });
  return true;
}

function textOf(row: HTMLElement, cell: HTMLElement, column: string): string {
  if (column === "name") return row.dataset.name ?? "";
  return cell.dataset.value ?? "";
}

async function save(
  table: RunsTable,
  uid: string,
  act: string,
  before: string,
  after: string,
): Promise<void> {
  const run = new URLSearchParams({ uid });
  if (act === "rename" && !after.trim()) {
    toast(word("nameNeeded"), "error");
  } else if (act === "tag") {
    const { added, removed } = tagChanges(before, after);
    if (added.length) await performBulkAction(table, "tag", run, added);
    if (removed.length) await performBulkAction(table, "untag", run, removed);
  } else {
    await performBulkAction(table, act, run, [after]);
  }
}

/** Which tags somebody added and took away in a list of them by commas. */
export function tagChanges(before: string, after: string): { added: string[]; removed: string[] } {
  const [old, wanted] = [tagsOf(before), tagsOf(after)];
  return {
    added: wanted.filter((tag) => !old.includes(tag)),
    removed: old.filter((tag) => !wanted.includes(tag)),
  };
}

function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags)].filter(Boolean);
}
