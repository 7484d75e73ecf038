import { one } from "../lib/dom";

/** Filter the rows of every `[data-filters="id"]` box's list by key and value. */
for (const box of document.querySelectorAll<HTMLInputElement>("[data-filters]")) {
  const list = one<HTMLElement>(`#${box.dataset.filters}`);
  const note = list.querySelector<HTMLElement>("[data-no-match]");
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of list.querySelectorAll<HTMLElement>("[data-row]")) {
      const text = row.textContent?.toLowerCase() ?? "";
      row.hidden = !words.every((part) => text.includes(part));
      if (!row.hidden) shown += 1;
    }
    if (note) note.hidden = shown > 0;
  });
}
