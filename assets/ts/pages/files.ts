import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { highlight } from "../run/highlight";

function highlightIn(root: ParentNode): void {
  for (const text of root.querySelectorAll<HTMLElement>("pre[data-language]")) highlight(text);
}

/** Boxes in the tree: of files, and of folders, which stand for all in them, loaded or not. */
const BOXES = "#file-list input[type=checkbox]";

function boxesIn(folder: HTMLInputElement): HTMLInputElement[] {
  return [
    ...(folder.parentElement?.querySelectorAll<HTMLInputElement>("details input[type=checkbox]") ?? []),
  ];
}

/** The box of a folder chooses all in it; a box in it that is cleared clears the folder's. */
function follow(box: HTMLInputElement): void {
  for (const inner of boxesIn(box)) inner.checked = box.checked;
  if (box.checked) return;
  for (let outer = folderOf(box); outer; outer = folderOf(outer)) outer.checked = false;
}

function folderOf(box: HTMLInputElement): HTMLInputElement | null {
  const folder = box.parentElement?.parentElement?.closest(".file-folder");
  return folder?.querySelector<HTMLInputElement>(":scope > input") ?? null;
}

/** What is in a folder may come after its box was ticked. */
function chooseAnew(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>(".file-folder > input:checked")) follow(box);
}

/** Say how many files are chosen; the button to delete them shows then. */
function showChosen(): void {
  const bar = document.querySelector<HTMLElement>("[data-chosen]");
  if (!bar) return;
  let count = 0;
  for (const box of document.querySelectorAll<HTMLInputElement>(`${BOXES}:checked`))
    if (!folderOf(box)?.checked) count += Number(box.dataset.count ?? 1);
  bar.hidden = count === 0;
  const text = bar.querySelector<HTMLElement>("[data-chosen-count]");
  if (text) text.textContent = word("chosen", { n: formatCount(count) });
}

highlightIn(document);
document.addEventListener("change", ({ target }) => {
  if ((target as Element).matches(BOXES)) follow(target as HTMLInputElement);
  showChosen();
});
document.addEventListener("htmx:afterSwap", (event) => {
  highlightIn(event.target as Element);
  chooseAnew();
  showChosen();
});
document.addEventListener("click", (event) => {
  const chosen = (event.target as Element).closest("a[data-preview]");
  if (!chosen) return;
  for (const link of document.querySelectorAll("a[data-preview]")) link.removeAttribute("aria-current");
  chosen.setAttribute("aria-current", "true");
});
