import Plotly from "plotly.js-basic-dist-min";

/** What the basic bundle draws; the whole library has four times its size. */
const DRAWN = new Set(["scatter", "bar", "pie"]);

interface Figure {
  data?: { type?: string }[];
  layout?: Record<string, unknown>;
}

/** Runs in a sandboxed frame of no origin (metrics/views/media.py): draws the figure that the page holds. */
function draw(box: HTMLElement, { data = [], layout = {} }: Figure): void {
  const others = data.map(({ type = "scatter" }) => type).filter((type) => !DRAWN.has(type));
  if (others.length) {
    box.textContent = `${box.dataset.unknown ?? ""} ${[...new Set(others)].join(", ")}`;
    return;
  }
  const fitted = { ...layout, autosize: true, width: undefined, height: undefined };
  Plotly.newPlot(box, data, fitted, { responsive: true, displaylogo: false }).catch((error: unknown) => {
    box.textContent = String(error);
  });
}

const box = document.getElementById("figure");
if (box) draw(box, JSON.parse(document.getElementById("data")?.textContent ?? "{}") as Figure);
