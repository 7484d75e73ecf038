import { make } from "../lib/dom";
import { differenceOf } from "./difference";

/** Write beside each number of the summary how it differs from the baseline's, and mark what differs elsewhere. */
export function showDeltas(table: HTMLTableElement, baseline: string): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const at = heads.findIndex((head) => baseline !== "" && head.dataset.uid === baseline);
  for (const head of heads) {
    const tag = head.querySelector<HTMLElement>("[data-is-baseline]");
    if (tag) tag.hidden = head.dataset.uid !== baseline;
  }
  for (const row of table.querySelectorAll<HTMLTableRowElement>("tr[data-key]")) {
    const base = at < 0 ? undefined : row.cells[at];
    for (const cell of [...row.cells].slice(1)) {
      cell.querySelector(".delta")?.remove();
      if (cell.matches(".rest")) continue;
      const isOther = base !== undefined && cell !== base && textOf(cell) !== textOf(base);
      const isMeasured = cell.dataset.n !== undefined && base?.dataset.n !== undefined;
      cell.classList.toggle("is-different", isOther && !isMeasured);
      if (isOther && isMeasured) cell.append(deltaOf(cell, base, row.dataset.goal));
    }
  }
}

function textOf(cell: HTMLElement): string {
  return cell.dataset.n || cell.title || (cell.textContent ?? "");
}

function deltaOf(cell: HTMLElement, base: HTMLElement, goal: string | undefined): HTMLElement {
  const { text, share, isBetter } = differenceOf(Number(cell.dataset.n), Number(base.dataset.n), goal);
  const delta = make("small", "delta", text);
  if (share) delta.append(make("span", "delta-share", share));
  if (isBetter !== undefined) delta.dataset.better = String(isBetter);
  return delta;
}
