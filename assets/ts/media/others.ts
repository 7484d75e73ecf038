import { make } from "../lib/dom";
import { caption, download, missing, textOf } from "./parts";
import type { Drawing } from "./wire";

/** A page somebody logged: in a frame of no origin, without network; see metrics/views/media.py. */
export function page(drawing: Drawing): HTMLElement {
  return framed(drawing, "html");
}

/** A Plotly figure, drawn in such a frame too, so that its script may do nothing else. */
export function figure(drawing: Drawing): HTMLElement {
  return framed(drawing, "plotly");
}

function framed({ value, files, urls, key }: Drawing, kind: string): HTMLElement {
  const path = textOf(value.path);
  if (!files[path]) return missing(path);
  const frame = make("iframe", "media-frame");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.referrerPolicy = "same-origin"; // the server gives it to pages of ours only
  frame.loading = "lazy";
  frame.title = key;
  frame.src = `${urls.frame}${kind}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const box = make("div", "media-framed");
  box.append(frame, download(path, files[path]));
  return box;
}

export function audio(drawing: Drawing): HTMLElement {
  return played("audio", drawing);
}

export function video(drawing: Drawing): HTMLElement {
  return played("video", drawing);
}

function played(tag: "audio" | "video", { value, files, key }: Drawing): HTMLElement {
  const several = Array.isArray(value.filenames) ? (value.filenames as unknown[]) : [value.path];
  const captions = Array.isArray(value.captions) ? (value.captions as unknown[]) : [value.caption];
  const grid = make("div", several.length > 1 ? "media-grid" : "media-single");
  several.forEach((name, i) => {
    const path = textOf(name);
    const figure = make("figure");
    const link = files[path];
    if (link) {
      const player = make(tag);
      player.controls = true;
      player.preload = "metadata";
      player.src = link.url;
      player.setAttribute("aria-label", key);
      figure.append(player);
    } else figure.append(missing(path));
    figure.append(caption(textOf(captions[i])));
    grid.append(figure);
  });
  return grid;
}

export function text({ value }: Drawing): HTMLElement {
  const shown = value.text;
  const box = make("pre", "media-text", typeof shown === "string" ? shown : JSON.stringify(shown, null, 2));
  box.tabIndex = 0;
  return box;
}

/** What there is no drawing for here: its files, and its value. */
export function other(drawing: Drawing): HTMLElement {
  const box = make("div", "media-other");
  const several = Array.isArray(drawing.value.filenames) ? (drawing.value.filenames as unknown[]) : [];
  for (const name of [drawing.value.path, ...several]) {
    const path = textOf(name);
    if (path) box.append(download(path, drawing.files[path]));
  }
  const json = make("pre", "media-text", JSON.stringify(drawing.value, null, 2));
  json.tabIndex = 0;
  box.append(json);
  return box;
}
