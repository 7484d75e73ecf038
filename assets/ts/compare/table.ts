import { one } from "../lib/dom";
import { hasWords, wordsOf } from "../lib/matching";
import { showDeltas } from "./deltas";

/**
 * What is shown of a comparison: search over keys, only differences, and differences from a baseline (RUN-29).
 * @returns what shows it anew, for when rows are others.
 */
export function enableComparison(root: HTMLElement): () => void {
  const table = one<HTMLTableElement>(".compare-table", root);
  const search = one<HTMLInputElement>("[data-page-search]", root);
  const only = one<HTMLInputElement>("[data-only-differences]", root);
  const baseline = one<HTMLSelectElement>("[data-baseline]", root);
  const asked = new URLSearchParams(location.search).get("baseline");
  if (asked !== null) baseline.value = asked;
  const show = () => {
    showRows(table, search.value, only.checked);
    showDeltas(table, baseline.value);
  };
  search.addEventListener("input", show);
  only.addEventListener("change", () => {
    keep("all", only.checked ? null : "1");
    show();
  });
  baseline.addEventListener("change", () => {
    keep("baseline", baseline.value);
    show();
  });
  document.addEventListener("htmx:afterSwap", show);
  show();
  return show;
}

/** A link shows others the same. */
function keep(name: string, value: string | null): void {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  history.replaceState(history.state, "", url);
}

function showRows(table: HTMLTableElement, text: string, onlyDifferences: boolean): void {
  const words = wordsOf(text);
  table.classList.toggle("only-differences", onlyDifferences);
  for (const part of table.tBodies) {
    let shown = 0;
    for (const row of part.querySelectorAll<HTMLTableRowElement>("tr[data-key]")) {
      const matches = hasWords(row.dataset.key ?? "", words);
      row.hidden = !matches || (onlyDifferences && row.dataset.equal !== undefined);
      if (!row.hidden) shown += 1;
    }
    const none = part.querySelector<HTMLElement>(".compare-none");
    if (none) none.hidden = shown > 0 || words.length > 0;
    part.classList.toggle("is-empty", shown === 0 && words.length > 0);
  }
}
