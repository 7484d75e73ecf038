import Plotly from "plotly.js-dist-min";
import { jsonOf, serve } from "./host";
import { type Figure, fittedLayout, hasMap } from "./plotly-figure";

/** Runs in a sandboxed frame of no origin (metrics/views/frames.py). */
serve(async (box, file, theme) => {
  const figure = jsonOf<Figure>(file);
  if (!figure || !Array.isArray(figure.data)) throw new Error(document.body.dataset.noFigure);
  if (hasMap(figure.data)) throw new Error(document.body.dataset.noMaps);
  const layout = fittedLayout(figure, theme);
  const drawn = { data: figure.data, layout, frames: figure.frames, config: CONFIG };
  await Plotly.newPlot(box, drawn as unknown as Parameters<typeof Plotly.newPlot>[1]);
});

const CONFIG = { responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "" };
