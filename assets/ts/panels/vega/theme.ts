import { palette } from "../../charts/palette";

/** Look of custom charts in the theme on show. Frames cannot load the page's font, hence the system's. */
export function vegaConfig(): Record<string, unknown> {
  const { runs, axis, grid, text } = palette();
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
    range: { category: runs },
    mark: { color: runs[0] ?? axis, tooltip: { content: "data" } },
    line: { strokeWidth: 1.5 },
    point: { filled: true, size: 36 },
    rule: { color: axis },
    text: { color: text, font },
    style: { "guide-label": { fill: axis, font }, "guide-title": { fill: axis, font } },
  };
}
