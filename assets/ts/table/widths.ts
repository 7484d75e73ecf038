import { announce } from "../lib/announce";
import { word } from "../lib/words";
import type { RunsTable } from "./table";

const NARROWEST = 56;
const WIDEST = 900;
/** Pixels that Shift and an arrow key change. */
const STEP = 16;

/** Resize columns by dragging their edge; a double click fits the column to what is in view. Keeps pinned ones in place. */
export function enableWidths(table: RunsTable): void {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const stick = () => sheet.replaceSync(stickyRules(table));
  table.addEventListener("drawn", stick);
  addEventListener("resize", stick);
  stick();

  table.scroll.addEventListener("pointerdown", (event) => {
    const edge = (event.target as Element).closest<HTMLElement>("[data-resize]");
    const column = edge?.closest<HTMLElement>("[data-column]")?.dataset.column;
    const col = column ? colOf(table, column) : undefined;
    if (!edge || !column || !col || event.button !== 0) return;
    event.preventDefault();
    drag(edge, event, widthOf(table, column), (width, done) => {
      col.width = String(width);
      stick();
      if (done) keepWidth(table, column, width);
    });
  });
  table.scroll.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    const column = (event.target as Element).closest<HTMLElement>("thead th[data-column]")?.dataset.column;
    const col = column ? colOf(table, column) : undefined;
    if (!by || !column || !col || !event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const width = fittedWidth(widthOf(table, column) + by);
    col.width = String(width);
    stick();
    keepWidth(table, column, width);
    announce(word("columnWidth", { n: width }));
  });
  table.scroll.addEventListener("dblclick", (event) => {
    const edge = (event.target as Element).closest<HTMLElement>("[data-resize]");
    const column = edge?.closest<HTMLElement>("[data-column]")?.dataset.column;
    const col = column ? colOf(table, column) : undefined;
    if (!column || !col) return;
    const width = fitting(table, column);
    col.width = String(width);
    stick();
    keepWidth(table, column, width);
  });
}

function drag(
  edge: HTMLElement,
  start: PointerEvent,
  from: number,
  moved: (width: number, done: boolean) => void,
): void {
  const width = (event: PointerEvent) => fittedWidth(from + event.clientX - start.clientX);
  const follow = (event: PointerEvent) => moved(width(event), false);
  const end = (event: PointerEvent) => {
    edge.removeEventListener("pointermove", follow);
    edge.classList.remove("dragging");
    moved(width(event), true);
  };
  edge.setPointerCapture(start.pointerId);
  edge.classList.add("dragging");
  edge.addEventListener("pointermove", follow);
  edge.addEventListener("pointerup", end, { once: true });
}

/** A width that columns may have, whole pixels. */
export function fittedWidth(px: number): number {
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, px)));
}

function keepWidth(table: RunsTable, column: string, width: number): void {
  const { columns } = table.state;
  table.state = { ...table.state, columns: { ...columns, widths: { ...columns.widths, [column]: width } } };
  table.keep();
}

/** The width in which everything of a column that is drawn now fits. */
function fitting(table: RunsTable, column: string): number {
  const rows = table.scroll.querySelectorAll<HTMLTableRowElement>("tbody:not(.gap) > tr");
  const widest = [...rows].map((row) => contentWidth(table.cellIn(row, column)));
  return Math.min(WIDEST, Math.max(NARROWEST, ...widest) + 24);
}

function contentWidth(cell: HTMLElement | undefined): number {
  if (!cell) return 0;
  const range = document.createRange();
  range.selectNodeContents(cell);
  return Math.ceil(range.getBoundingClientRect().width);
}

function colOf(table: RunsTable, column: string): HTMLTableColElement | undefined {
  return (
    table.scroll.querySelector<HTMLTableColElement>(`col[data-column="${CSS.escape(column)}"]`) ?? undefined
  );
}

function widthOf(table: RunsTable, column: string): number {
  return (
    table.scroll
      .querySelector<HTMLElement>(`thead th[data-column="${CSS.escape(column)}"]`)
      ?.getBoundingClientRect().width ?? NARROWEST
  );
}

/** Where pinned columns stop: after those before them. The style sheet lets them go on narrow screens. */
function stickyRules(table: RunsTable): string {
  const heads = [...table.scroll.querySelectorAll<HTMLElement>("thead th")].map((head) => ({
    isPinned: head.classList.contains("pinned"),
    width: head.getBoundingClientRect().width,
  }));
  const rules = stickyLefts(heads).map(
    (left, index) => `.runs-table tr > :nth-child(${index + 1}) { --left: ${left}px }`,
  );
  return rules.join("\n");
}

/** Where the boxes, the name and the pinned columns behind it stop, pixels from the left. */
export function stickyLefts(heads: readonly { isPinned: boolean; width: number }[]): number[] {
  const lefts: number[] = [];
  let left = 0;
  for (const [index, { isPinned, width }] of heads.entries()) {
    if (index > 1 && !isPinned) break;
    lefts.push(left);
    left += width;
  }
  return lefts;
}
