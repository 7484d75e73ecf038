import { announce, toast } from "../lib/announce";
import { one } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { exportUrl } from "./bulk";
import { openAt } from "./popup";
import { linkQuery } from "./state";
import type { RunsTable } from "./table";

/** A search that rests this long is made, milliseconds. */
const REST_MS = 220;

/** Search by part of a name (RUN-24), the counter, the `...` menu, and what a list without matches offers. */
export function enableToolbar(table: RunsTable): void {
  const search = one<HTMLInputElement>("[data-page-search]", table.root);
  let timer: number | undefined;
  const find = () => {
    clearTimeout(timer);
    if (search.value.trim() !== table.state.search) void table.change({ search: search.value.trim() });
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(find, REST_MS);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") find();
    if (event.key === "Escape") search.blur();
  });
  table.addEventListener("state", () => {
    if (document.activeElement !== search) search.value = table.state.search;
  });
  table.scroll.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-clear-filter]"))
      void table.change({ filter: "", search: "" });
    if ((event.target as Element).closest("[data-again]")) void table.draw();
  });
  enableMenu(table);
  enableCounter(table);
}

function enableCounter(table: RunsTable): void {
  const counter = one<HTMLElement>("[data-counter]", table.root);
  const count = () => {
    const values = { total: formatCount(table.total), all: formatCount(table.all) };
    const text = table.error ? "" : word(table.total === table.all ? "countAll" : "countSome", values);
    if (counter.textContent !== text) counter.textContent = text;
  };
  table.addEventListener("counted", count);
}

function enableMenu(table: RunsTable): void {
  const menu = one<HTMLElement>("#table-menu");
  const opener = one<HTMLButtonElement>("[data-menu-open]", table.root);
  const csv = one<HTMLAnchorElement>("[data-export]", menu);
  opener.addEventListener("click", () => {
    csv.href = exportUrl(table);
    openAt(menu, opener);
  });
  one("[data-copy-link]", menu).addEventListener("click", () => {
    menu.hidePopover();
    void copyLink(table);
  });
}

/** A link shows others the same runs in the same columns. */
async function copyLink(table: RunsTable): Promise<void> {
  const query = linkQuery(table.state);
  for (const column of table.shown) query.append("columns", column);
  const text = `${location.origin}${table.url}?${query}`;
  try {
    await navigator.clipboard.writeText(text);
    announce(word("copied"));
    toast(word("linkCopied"), "success");
  } catch {
    toast(text);
  }
}
