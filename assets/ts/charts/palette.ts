/** How many colours runs and groups have. */
export const COLORS = 8;

/** Colours that canvases draw with, read from the tokens; they change with the theme. */
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
const waiting = new Set<() => void>();

/** The colours of the theme on show. */
export function palette(): Palette {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  known = {
    runs: Array.from({ length: 8 }, (_, i) => token(`--run-${i}`)),
    axis: token("--axis"),
    grid: token("--grid"),
    surface: token("--surface"),
    text: token("--text"),
    cursor: token("--border-strong"),
    odd: token("--state-failed"),
  };
  return known;
}

/** Call `act` whenever the colours have changed. */
export function onRecolor(act: () => void): void {
  waiting.add(act);
}

new MutationObserver(() => {
  known = undefined;
  for (const act of waiting) act();
}).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
