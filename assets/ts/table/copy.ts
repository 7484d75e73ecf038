import { toast } from "../lib/announce";
import { copyText } from "../lib/copy";
import { one } from "../lib/dom";
import { formatCount } from "../lib/format";
import { cellsOf, latex, markdown } from "../lib/table-text";
import { word } from "../lib/words";
import { rows as csv } from "../panels/csv";
import { PAGE } from "./pages";
import { openAt, walkMenu } from "./popup";
import type { Selection } from "./selection";
import { getText } from "./server";
import type { RunsTable } from "./table";

const FORMS = { csv, markdown, latex };
/** What fits into any paper, and is read in ten requests; all rows are to be had as CSV file. */
export const MOST_COPIED = 1000;

/** Copy the chosen runs, or all that are shown, as text: the columns shown, and numbers as they are shown. */
export function enableCopyingRuns(table: RunsTable, selection: Selection): void {
  const menu = one<HTMLElement>("#bulk-copy");
  const opener = one<HTMLButtonElement>("[data-bulk-copy]", table.root);
  walkMenu(menu);
  opener.addEventListener("click", () => openAt(menu, opener));
  const copyFrom = (place: HTMLElement, isChosen: boolean) =>
    place.addEventListener("click", (event) => {
      const form = formOf(event);
      if (!form) return;
      place.hidePopover();
      void copyRuns(table, form, isChosen ? selection : undefined);
    });
  copyFrom(menu, true);
  copyFrom(one("#table-menu"), false);
}

/** The form that was clicked in a menu of them (`runs/table/copy_items.html`). */
export function formOf(event: Event): string | undefined {
  return (event.target as Element).closest<HTMLElement>("[data-copy-form]")?.dataset.copyForm;
}

/** Put a table, whose first row is its head, on the clipboard; say how many rows that are, and of how many. */
export async function copyTable(
  form: string,
  rows: readonly (readonly string[])[],
  near: HTMLElement,
  all = rows.length - 1,
): Promise<void> {
  const text = FORMS[form as keyof typeof FORMS](rows);
  if (!(await copyText(text, near))) {
    toast(word("copyFailed"), "error");
    return;
  }
  const n = rows.length - 1;
  const values = { n: formatCount(n), all: formatCount(all) };
  toast(word(n < all ? "rowsCopiedOf" : "rowsCopied", values), "success");
}

async function copyRuns(table: RunsTable, form: string, selection?: Selection): Promise<void> {
  const all = selection?.size ?? table.total;
  try {
    const rows = await rowsOf(table, Math.min(all, MOST_COPIED), selection);
    await copyTable(form, [headOf(table), ...rows], table.root, all);
  } catch {
    toast(word("requestFailed"), "error");
  }
}

function headOf(table: RunsTable): string[] {
  const heads = table.scroll.querySelectorAll<HTMLElement>("thead th[data-column]");
  return [...heads].map(({ dataset }) => dataset.label ?? "");
}

async function rowsOf(table: RunsTable, count: number, selection?: Selection): Promise<string[][]> {
  const rows: string[][] = [];
  for (let offset = 0; offset < count; offset += PAGE) {
    const url = new URL(table.partUrl("rows", { offset: String(offset) }), location.href);
    url.searchParams.delete("group");
    if (selection) url.searchParams.set("filter", selection.toFilter());
    const drawn = document.createElement("template");
    drawn.innerHTML = `<table>${await getText(url.href)}</table>`;
    rows.push(...[...drawn.content.querySelectorAll("tr[data-uid]")].map(cellsOf));
  }
  return rows.slice(0, count);
}
