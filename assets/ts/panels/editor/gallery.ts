import { make, makeIcon } from "../../lib/dom";
import { word } from "../../lib/words";
import type { PanelKind } from "../spec";

/** The kinds that can be added, in the order in which they are offered. */
const KINDS: [kind: PanelKind, icon: string][] = [
  ["line", "chart-line"],
  ["bar", "chart-column"],
  ["scatter", "chart-scatter"],
  ["histogram", "chart-no-axes-column"],
  ["parallel", "chart-spline"],
  ["importance", "chart-bar-decreasing"],
  ["scalar", "hash"],
  ["compare", "git-compare"],
  ["table", "rows-3"],
  ["media", "images"],
  ["custom", "parentheses"],
  ["markdown", "file-text"],
  ["code", "file-code"],
];

/** Fill a box with a tile for each kind of panel; arrow keys go through them. */
export function showGallery(box: HTMLElement, chosen: (kind: PanelKind) => void): void {
  const tiles = KINDS.map(([kind, icon]) => {
    const tile = make("button", "panel-kind");
    tile.type = "button";
    tile.dataset.kind = kind;
    const texts = make("span", "panel-kind-texts");
    texts.append(make("strong", "", word(`kind_${kind}`)), make("span", "muted", word(`about_${kind}`)));
    tile.append(makeIcon(icon), texts);
    tile.addEventListener("click", () => chosen(kind));
    return tile;
  });
  box.replaceChildren(...tiles);
  box.onkeydown = (event) => {
    const at = tiles.indexOf(document.activeElement as HTMLButtonElement);
    const across = getComputedStyle(box).gridTemplateColumns.split(" ").length;
    const to = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + across,
      ArrowUp: at - across,
      Home: 0,
      End: tiles.length - 1,
    }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    tiles[Math.max(0, Math.min(tiles.length - 1, to))]?.focus();
  };
}

/** The icon of a kind of panel. */
export function iconOf(kind: PanelKind): string {
  return KINDS.find(([name]) => name === kind)?.[1] ?? "chart-line";
}

/** Whether panels of a kind can be added by hand. */
export function isAddable(kind: PanelKind): boolean {
  return KINDS.some(([name]) => name === kind);
}
