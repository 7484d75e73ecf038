import { make } from "../lib/dom";
import { move } from "./header";
import type { RunsTable } from "./table";

/** The pointer must go this far before a press on a header is a drag, pixels. */
const SLACK = 6;

/** Reorder columns by dragging their header with a mouse or pen; the Columns panel does it by keyboard and touch. */
export function enableReordering(table: RunsTable): void {
  table.scroll.addEventListener("pointerdown", (event) => {
    const target = event.target as Element;
    const header = target.closest<HTMLElement>("thead th[data-column]");
    const column = header?.dataset.column;
    if (!header || !column || column === "name" || event.button !== 0 || event.pointerType === "touch")
      return;
    if (target.closest("[data-resize], [data-column-menu]")) return;
    follow(table, header, column, event);
  });
}

/** The click that ends a drag must not sort. */
function swallow(event: Event): void {
  event.stopPropagation();
}

function follow(table: RunsTable, header: HTMLElement, column: string, start: PointerEvent): void {
  let ghost: HTMLElement | undefined;
  let before: string | undefined;
  const line = make("div", "drop-line");
  const moved = (event: PointerEvent) => {
    if (!ghost && Math.abs(event.clientX - start.clientX) < SLACK) return;
    if (!ghost) {
      ghost = make("div", "drag-ghost", header.dataset.label ?? column);
      document.body.append(ghost);
      table.scroll.append(line);
      header.classList.add("dragged");
    }
    ghost.style.translate = `${event.clientX + 12}px ${event.clientY + 8}px`;
    before = dropPlace(table, event.clientX, line);
  };
  const end = (event: PointerEvent) => {
    removeEventListener("pointermove", moved);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    ghost?.remove();
    line.remove();
    header.classList.remove("dragged");
    if (!ghost) return;
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
    if (event.type === "pointerup" && before !== undefined) void move(table, column, before);
  };
  addEventListener("pointermove", moved);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** The column before which a drop at `x` puts the dragged one; draws the line there. */
function dropPlace(table: RunsTable, x: number, line: HTMLElement): string | undefined {
  const heads = [...table.scroll.querySelectorAll<HTMLElement>("thead th[data-column]")].slice(1);
  const next =
    heads[
      columnAt(
        x,
        heads.map((head) => head.getBoundingClientRect()),
      )
    ];
  const last = heads.at(-1);
  const edge = next ? next.getBoundingClientRect().left : (last?.getBoundingClientRect().right ?? 0);
  const box = table.scroll.getBoundingClientRect();
  line.style.left = `${edge - box.left + table.scroll.scrollLeft - 1}px`;
  line.style.top = `${table.scroll.scrollTop}px`;
  line.style.height = `${table.scroll.clientHeight}px`;
  return next?.dataset.column ?? "";
}

/** The place of the first column whose middle is right of `x`; that behind the last where there is none. */
export function columnAt(x: number, boxes: readonly { left: number; width: number }[]): number {
  const at = boxes.findIndex(({ left, width }) => x < left + width / 2);
  return at < 0 ? boxes.length : at;
}
