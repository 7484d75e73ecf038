import { histogram } from "./histogram";
import { images } from "./images";
import { audio, figure, other, page, text, video } from "./others";
import { table } from "./table";
import type { Drawing } from "./wire";

type Drawer = (drawing: Drawing) => HTMLElement;

const DRAWERS: Record<string, Drawer> = {
  "image-file": images,
  "images/separated": images,
  images,
  "table-file": table,
  histogram,
  "html-file": page,
  html: page,
  "htmls/separated": other,
  "audio-file": audio,
  audio,
  "video-file": video,
  videos: video,
  "plotly-file": figure,
  plotly: figure,
  string: text,
  boolean: text,
  list: text,
};

/** Draw a logged value by its kind. */
export function draw(kind: string, drawing: Drawing): HTMLElement {
  return (DRAWERS[kind] ?? other)(drawing);
}

/** The icon and the word (of a template) for a kind of value. */
export function kindOf(kind: string): [icon: string, name: string] {
  if (kind.includes("image")) return ["images", "kindImage"];
  if (kind.includes("table")) return ["rows-3", "kindTable"];
  if (kind === "histogram") return ["chart-column", "kindHistogram"];
  if (kind.includes("html")) return ["file-code", "kindHtml"];
  if (kind.includes("audio")) return ["file-audio", "kindAudio"];
  if (kind.includes("video")) return ["file-video", "kindVideo"];
  if (kind.includes("plotly") || kind.includes("bokeh")) return ["chart-spline", "kindPlot"];
  if (["string", "list", "boolean"].includes(kind)) return ["file-text", "kindText"];
  return ["box", "kindOther"];
}
