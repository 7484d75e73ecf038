import { toast } from "../lib/announce";
import { make } from "../lib/dom";
import { word } from "../lib/words";
import { actOn } from "./acts";
import type { RunsTable } from "./table";

/** What is edited in place, and the act that writes it. */
const ACTS: Record<string, string> = { name: "rename", notes: "note", tags: "tag" };

/** Edit name, notes and tags in their cell: by double click, or by Enter or F2 on the cell. */
export function enableEditing(table: RunsTable): void {
  table.scroll.addEventListener("dblclick", (event) => {
    const cell = cellOf(event.target);
    if (cell && edit(table, cell)) event.preventDefault();
  });
}

function cellOf(target: EventTarget | null): HTMLElement | undefined {
  return (target as Element | null)?.closest<HTMLElement>("tr[data-editable] [data-column]") ?? undefined;
}

/** Open the editor of a cell; false where there is none. */
export function edit(table: RunsTable, cell: HTMLElement): boolean {
  const row = cell.closest<HTMLElement>("tr[data-editable]");
  const column = cell.dataset.column ?? "";
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
    if (inside) cell.focus({ preventScroll: true });
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
  if (act !== "tag") {
    if (act === "rename" && !after.trim()) {
      toast(word("nameNeeded"), "error");
      return;
    }
    await actOn(table, act, new URLSearchParams({ uid }), after);
    return;
  }
  const [old, wanted] = [tagsOf(before), tagsOf(after)];
  for (const tag of wanted) if (!old.has(tag)) await actOn(table, "tag", new URLSearchParams({ uid }), tag);
  for (const tag of old) if (!wanted.has(tag)) await actOn(table, "untag", new URLSearchParams({ uid }), tag);
}

function tagsOf(text: string): Set<string> {
  return new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  );
}
