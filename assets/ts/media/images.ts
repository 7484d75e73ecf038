import { make } from "../lib/dom";
import { word } from "../lib/words";
import { layered } from "./overlay";
import { caption, missing, textOf } from "./parts";
import type { Drawing } from "./wire";

/** Pictures drawn at once; a button shows the others. */
const AT_ONCE = 48;
/** Pictures up to this width show their pixels when they are drawn larger. */
const SMALL_PX = 128;

/** One picture, or the grid of pictures logged in one step. */
export function images(drawing: Drawing): HTMLElement {
  const parts = separated(drawing.value);
  const grid = make("div", parts.length > 1 ? "media-grid" : "media-single");
  if (parts.length > 1) grid.tabIndex = 0; // it scrolls
  const add = (from: number) => {
    for (const part of parts.slice(from, from + AT_ONCE)) grid.append(picture(part, drawing));
    if (from + AT_ONCE >= parts.length) return;
    const more = make("button", "btn btn-sm", word("moreImages", { n: parts.length - from - AT_ONCE }));
    more.type = "button";
    more.addEventListener("click", () => {
      more.remove();
      add(from + AT_ONCE);
    });
    grid.append(more);
  };
  add(0);
  return grid;
}

/** Take `images/separated` apart into values of single pictures. */
function separated(value: Record<string, unknown>): Record<string, unknown>[] {
  if (!Array.isArray(value.filenames)) return [value];
  const of = (name: string, i: number) => {
    const list = value[name];
    if (Array.isArray(list)) return list[i] as unknown;
    return undefined;
  };
  const captions = Array.isArray(value.captions) ? value.captions : [];
  return value.filenames.map((path: unknown, i) => ({
    path,
    width: value.width,
    height: value.height,
    caption: captions[i] as unknown,
    masks: of("all_masks", i),
    boxes: of("all_boxes", i),
  }));
}

function picture(value: Record<string, unknown>, drawing: Drawing): HTMLElement {
  const figure = make("figure");
  const path = textOf(value.path);
  const link = drawing.files[path];
  const text = textOf(value.caption);
  if (!link) {
    figure.append(missing(path), caption(text));
    return figure;
  }
  const image = make("img");
  image.src = link.url;
  image.alt = text || drawing.key;
  image.loading = "lazy";
  image.decoding = "async";
  if (Number(value.width) > 0 && Number(value.height) > 0) {
    image.width = Number(value.width);
    image.height = Number(value.height);
    image.classList.toggle("is-small", image.width <= SMALL_PX);
  }
  image.addEventListener("error", () => image.replaceWith(missing(path)));
  figure.append(layered(image, value, drawing), caption(text));
  return figure;
}
