import { one } from "../lib/dom";
import { cellsOf } from "../lib/table-text";
import { copyTable, formOf } from "../table/copy";
import { openAt, walkMenu } from "../table/popup";

/** Copy what is set side by side, as it is shown; a page without runs has nothing to copy. */
const opener = document.querySelector<HTMLButtonElement>("[data-copy-as]");
if (opener) {
  const menu = one<HTMLElement>("#copy-menu");
  const table = one<HTMLTableElement>(".compare-table");
  walkMenu(menu);
  opener.addEventListener("click", () => openAt(menu, opener));
  menu.addEventListener("click", (event) => {
    const form = formOf(event);
    if (!form) return;
    menu.hidePopover();
    const rows = [...table.rows].map(cellsOf).filter((cells) => cells.length > 1); // the others head a part
    void copyTable(form, rows, opener);
  });
}
