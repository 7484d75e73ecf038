import { make } from "../lib/dom";
import { word } from "../lib/words";
import type { Color } from "./palette";
import { makeSwatch } from "./swatch";
import { besidePointer, type Pointer, rowsAround, widestTip } from "./tip-place";

/** One line under the cursor. */
export interface TipRow {
  color: Color;
  dash?: number;
  label: string;
  value: string;
  /** In the columns after the value. */
  more?: readonly string[];
  /** Said smaller, behind all columns. */
  detail: string;
  strong: boolean;
}

/** Where a tip is shown, and how. */
export interface TipPlace extends Pointer {
  /** What the value and the columns after it are; without it nothing is written above them. */
  columns?: readonly string[];
  /** Said below all rows. */
  note?: string;
}

const MOST_ROWS = 12;
const MOST_ROWS_ON_PHONES = 6;
let box: HTMLElement | undefined;
/** The widest that the tip has been since it was hidden: it does not shrink and grow with each value. */
let widest = 0;

/** Show values at the cursor beside it, within the window. */
export function showTip(place: string, rows: readonly TipRow[], at: TipPlace): void {
  const { columns = [] } = at;
  const shown = rowsAround(rows, at.isTouch ? MOST_ROWS_ON_PHONES : MOST_ROWS);
  const left = rows.length - shown.length;
  const head = make("div", "chart-tip-head");
  head.append(make("span", "chart-tip-place num", place));
  head.append(...columns.map((name) => make("span", "chart-tip-column", name)));
  const note = left ? [make("div", "chart-tip-more", word("moreLines", { n: left }))] : [];
  if (at.note) note.push(make("div", "chart-tip-more num", at.note));
  put([head, ...shown.map(rowOf), ...note], Math.max(1, columns.length), at);
}

/** Show names and what they have beside the cursor: what a custom chart says of a mark. */
export function showPairs(pairs: readonly [name: string, value: string][], left: number, top: number): void {
  const shown = pairs.slice(0, MOST_ROWS).map(([name, value]) => {
    const row = make("div", "chart-tip-row chart-tip-pair");
    row.append(make("span", "chart-tip-label", name), make("span", "chart-tip-value num", value));
    return row;
  });
  const more = pairs.length - shown.length;
  const note = more ? [make("div", "chart-tip-more", word("more", { n: more }))] : [];
  put([...shown, ...note], 1, { left, top });
}

function put(content: HTMLElement[], columns: number, at: TipPlace): void {
  box ??= document.body.appendChild(make("div", "chart-tip"));
  box.replaceChildren(...content);
  box.style.setProperty("--tip-columns", String(columns));
  box.hidden = false;
  const dialog = document.querySelector("dialog[open]");
  if (box.parentElement !== (dialog ?? document.body)) (dialog ?? document.body).append(box);
  box.style.minWidth = widest ? `${widest}px` : "";
  const { offsetWidth: width, offsetHeight: height } = box;
  widest = Math.min(Math.max(widest, width), widestTip(innerWidth));
  const [x, y] = besidePointer(at, { width, height }, { width: innerWidth, height: innerHeight });
  box.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

export function hideTip(): void {
  widest = 0;
  if (box) box.hidden = true;
}

function rowOf({ color, dash = 0, label, value, more = [], detail, strong }: TipRow): HTMLElement {
  const row = make("div", `chart-tip-row${strong ? " is-strong" : ""}`);
  row.append(makeSwatch({ color, dash }), make("span", "chart-tip-label", label));
  row.append(make("span", "chart-tip-value num", value));
  row.append(...more.map((text) => make("span", "chart-tip-detail num", text)));
  if (detail) row.append(make("span", "chart-tip-detail num", detail));
  return row;
}
