import { word } from "../lib/words";

/** Show the state of a run in its row. */
export function showRunState(row: HTMLElement, state: string): void {
  const dot = row.querySelector<HTMLElement>(".state-dot");
  if (!dot) return;
  dot.dataset.state = state;
  dot.title = word(`state_${state}`);
  dot.setAttribute("aria-label", dot.title);
}

/** Show whether a run is pinned, and whether others are compared with it. */
export function showMarks(row: HTMLElement, isPinned: boolean, isBaseline: boolean): void {
  row.toggleAttribute("data-pinned", isPinned);
  row.toggleAttribute("data-baseline", isBaseline);
  const marks = row.querySelector<HTMLElement>("[data-marks]");
  const said = [isPinned ? word("pinned") : "", isBaseline ? word("baseline") : ""]
    .filter(Boolean)
    .join(", ");
  if (marks && marks.textContent !== said) marks.textContent = said;
}
