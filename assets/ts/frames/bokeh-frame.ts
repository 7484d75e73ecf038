import Bokeh from "@bokeh/bokehjs/build/js/bokeh.esm.min.js";
import { jsonOf, serve } from "./host";

/** Runs in a sandboxed frame of no origin (metrics/views/frames.py). A figure keeps the colours that it was made with. */
serve(async (box, file) => {
  const given = jsonOf<{ roots?: unknown } | null>(file);
  if (!Array.isArray(given?.roots)) throw new Error(document.body.dataset.noFigure);
  document.documentElement.style.colorScheme = "light";
  document.body.style.background = "#fff";
  document.body.style.overflow = "auto"; // most figures have a size of their own
  const { Document } = Bokeh.require("document");
  await Bokeh.require("embed").add_document_standalone(Document.from_json(given), box);
});
