import Plotly from "plotly.js-basic-dist-min";

/** Runs in a sandboxed frame of no origin (metrics/media_views.py): draws the figure that the page holds. */
const text = document.getElementById("data")?.textContent ?? "{}";
const box = document.getElementById("figure");
const { data = [], layout = {} } = JSON.parse(text) as { data?: unknown[]; layout?: Record<string, unknown> };
if (box) {
  const fitted = { ...layout, autosize: true, width: undefined, height: undefined };
  Plotly.newPlot(box, data, fitted, { responsive: true, displaylogo: false }).catch((error: unknown) => {
    box.textContent = String(error);
  });
}
