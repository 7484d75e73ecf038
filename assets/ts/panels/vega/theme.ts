import { DistinctColors, luminance, rgbOf } from "../../charts/distinct";
import { type Palette, palette } from "../../charts/palette";

/** Of names in a custom chart, as of a ROC curve's classes; more repeat. */
const CATEGORIES = 32;
/** Of marks with their surface. */
const CONTRAST = 3;

let known: { of: Palette; colors: string[] } | undefined;

/** The colors of names in the theme on show. */
function categoriesOf(theme: Palette): string[] {
  if (known?.of !== theme) known = { of: theme, colors: categories(theme.runs, theme.surface) };
  return known.colors;
}

/** The colors of runs, and further ones that look different on the surface. */
export function categories(runs: readonly string[], surface: string): string[] {
  const ground = luminance(rgbOf(surface)) + 0.05;
  const [darkest, brightest] =
    ground > 0.5 ? [0.02, ground / CONTRAST - 0.05] : [ground * CONTRAST - 0.05, 0.8];
  const colors = new DistinctColors(runs.map(rgbOf), darkest, brightest);
  const further = Array.from({ length: CATEGORIES - runs.length }, (_, at) => colors.at(runs.length + at));
  return [...runs, ...further.map((color) => `rgb(${color.join(", ")})`)];
}

/** Look of custom charts in the theme on show. Frames cannot load the page's font, hence the system's. */
export function vegaConfig(): Record<string, unknown> {
  const theme = palette();
  const { runs, axis, grid, text } = theme;
  const font = "system-ui, sans-serif";
  const labels = { labelColor: axis, labelFont: font, labelFontSize: 11 };
  const titles = { titleColor: axis, titleFont: font, titleFontSize: 11, titleFontWeight: 500 };
  return {
    background: "transparent",
    font,
    padding: 8,
    title: {
      anchor: "start",
      color: text,
      font,
      fontSize: 12,
      fontWeight: 600,
      subtitleColor: axis,
      subtitleFont: font,
      offset: 8,
    },
    axis: {
      ...labels,
      ...titles,
      domainColor: grid,
      gridColor: grid,
      tickColor: grid,
      tickSize: 4,
      labelPadding: 4,
    },
    legend: { ...labels, ...titles, symbolStrokeWidth: 2 },
    header: { ...labels, ...titles },
    view: { stroke: "transparent" },
    range: { category: categoriesOf(theme) },
    mark: { color: runs[0] ?? axis, tooltip: { content: "data" } },
    line: { strokeWidth: 1.5 },
    point: { filled: true, size: 36 },
    rule: { color: axis },
    text: { color: text, font },
    style: { "guide-label": { fill: axis, font }, "guide-title": { fill: axis, font } },
  };
}
