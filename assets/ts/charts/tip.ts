import { make } from "../lib/dom";
import { word } from "../lib/words";
import { type Color, paint } from "./palette";

/** One line under the cursor. */
export interface TipRow {
  color: Color;
  label: string;
  value: string;
  /** Said smaller: the value before smoothing, the range of the bucket. */
  detail: string;
  strong: boolean;
}

const MOST_ROWS = 12;
let box: HTMLElement | undefined;

/** Show values at the cursor beside it, within the window. */
export function showTip(place: string, rows: TipRow[], left: number, top: number): void {
  const at = rows.findIndex(({ strong }) => strong);
  const first = Math.max(0, Math.min(at - MOST_ROWS / 2, rows.length - MOST_ROWS));
  const shown = rows.slice(first, first + MOST_ROWS).map(rowOf);
  const more = rows.length - first - shown.length;
  const head = make("div", "chart-tip-place num", place);
  const above = first > 0 ? [make("div", "chart-tip-more", word("moreAbove", { n: first }))] : [];
  const note = more ? [make("div", "chart-tip-more", word("more", { n: more }))] : [];
  put([head, ...above, ...shown, ...note], left, top);
}

/** Show names and what they have beside the cursor: what a custom chart says of a mark. */
export function showPairs(pairs: readonly [name: string, value: string][], left: number, top: number): void {
  const shown = pairs.slice(0, MOST_ROWS).map(([name, value]) => {
    const row = make("div", "chart-tip-row chart-tip-pair");
    row.append(make("span", "chart-tip-label", name), make("span", "chart-tip-value num", value));
    return row;
  });
  const more = pairs.length - shown.length;
  put([...shown, ...(more ? [make("div", "chart-tip-more", word("more", { n: more }))] : [])], left, top);
}

function put(content: HTMLElement[], left: number, top: number): void {
  box ??= document.body.appendChild(make("div", "chart-tip"));
  box.replaceChildren(...content);
  box.hidden = false;
  const dialog = document.querySelector("dialog[open]");
  if (box.parentElement !== (dialog ?? document.body)) (dialog ?? document.body).append(box);
  const { offsetWidth: width, offsetHeight: height } = box;
  const x = left + 16 + width > innerWidth ? left - width - 16 : left + 16;
  const y = Math.max(8, Math.min(top - height / 2, innerHeight - height - 8));
  box.style.transform = `translate(${Math.round(Math.max(4, x))}px, ${Math.round(y)}px)`;
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

function rowOf({ color, label, value, detail, strong }: TipRow): HTMLElement {
  const row = make("div", `chart-tip-row${strong ? " is-strong" : ""}`);
  paint(row, color);
  const name = make("span", "chart-tip-label", label);
  row.append(make("i", "chart-tip-swatch"), name, make("span", "chart-tip-value num", value));
  if (detail) row.append(make("span", "chart-tip-detail num", detail));
  return row;
}
