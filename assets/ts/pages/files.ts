import { word } from "../lib/words";
import { highlight } from "../run/highlight";

function highlightIn(root: ParentNode): void {
  for (const text of root.querySelectorAll<HTMLElement>("pre[data-language]")) highlight(text);
}

/** Say how many files are chosen; the button to delete them shows then. */
function showChosen(): void {
  const bar = document.querySelector<HTMLElement>("[data-chosen]");
  const count = document.querySelectorAll("input[name=name]:checked").length;
  if (!bar) return;
  bar.hidden = count === 0;
  const text = bar.querySelector<HTMLElement>("[data-chosen-count]");
  if (text) text.textContent = word("chosen", { n: count });
}

highlightIn(document);
document.addEventListener("change", showChosen);
document.addEventListener("htmx:afterSwap", (event) => {
  highlightIn(event.target as Element);
  showChosen();
});
document.addEventListener("click", (event) => {
  const chosen = (event.target as Element).closest("a[data-preview]");
  if (!chosen) return;
  for (const link of document.querySelectorAll("a[data-preview]")) link.removeAttribute("aria-current");
  chosen.setAttribute("aria-current", "true");
});
