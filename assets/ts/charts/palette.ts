/** How many hues runs and groups have. */
export const COLORS = 8;
/** A hue comes solid first, then dashed in this many ways. */
export const DASHES: readonly number[][] = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4]];
/** So many runs can be told apart: every hue in every way. */
export const LOOKS = COLORS * DASHES.length;

/** A run's color: a place in the palette, from 0 to `LOOKS`, or a CSS color that somebody picked. */
export type Color = number | string;

/** The color of the run that others are compared with: ink, dashed and thicker. */
export const BASELINE = -1;

/** Colors that canvases draw with, read from the tokens; they change with the theme. */
export interface Palette {
  runs: string[];
  axis: string;
  grid: string;
  surface: string;
  text: string;
  cursor: string;
  odd: string;
}

let known: Palette | undefined;
let watcher: MutationObserver | undefined;
const waiting = new Set<() => void>();

/** The colors of the theme on show. */
export function palette(): Palette {
  if (known) return known;
  watch();
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  known = {
    runs: Array.from({ length: COLORS }, (_, i) => token(`--run-${i}`)),
    axis: token("--axis"),
    grid: token("--grid"),
    surface: token("--surface"),
    text: token("--text"),
    cursor: token("--border-strong"),
    odd: token("--state-failed"),
  };
  return known;
}

/** What a canvas draws a color with. */
export function inkOf(color: Color): string {
  if (typeof color === "string") return color;
  const { runs, axis, text } = palette();
  if (color === BASELINE) return text;
  return runs[color % COLORS] ?? axis;
}

/** How a line of this color is dashed: a place in `DASHES`. */
export function dashOf(color: Color): number {
  if (color === BASELINE) return 1;
  return typeof color === "string" ? 0 : Math.floor(color / COLORS) % DASHES.length;
}

/** Give an element and what is in it a run's color, for `var(--run-color)`. */
export function paint(element: HTMLElement, color: Color): void {
  for (const name of [...element.classList])
    if (name.startsWith("run-color-")) element.classList.remove(name);
  element.classList.toggle("is-dashed", dashOf(color) > 0);
  if (typeof color === "string" || color === BASELINE) {
    element.style.setProperty("--run-color", color === BASELINE ? "var(--text)" : String(color));
    return;
  }
  element.style.removeProperty("--run-color");
  element.classList.add(`run-color-${color % COLORS}`);
}

/** Call `act` whenever the colors have changed. */
export function onRecolor(act: () => void): void {
  watch();
  waiting.add(act);
}

/** See changes of the theme from the first use on: without one there may be no page, as in unit tests. */
function watch(): void {
  if (watcher) return;
  watcher = new MutationObserver(() => {
    known = undefined;
    for (const act of waiting) act();
  });
  watcher.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
}
