import { make } from "../lib/dom";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { graph } from "./graph";
import { histogram } from "./histogram";
import { picture } from "./images";
import { itemsOf } from "./items";
import { makeEnlargeable } from "./lightbox";
import { audio, other, page, text, video } from "./others";
import { caption } from "./parts";
import { table } from "./table";
import { viewerOf } from "./viewer";
import type { Drawing, Item } from "./wire";

type Drawer = (item: Item, drawing: Drawing) => HTMLElement;

const DRAWERS: Record<string, Drawer> = {
  "image-file": picture,
  "table-file": (item, drawing) => table(item.value, drawing),
  "incremental-table-file": (item, drawing) => table(item.value, drawing),
  "partitioned-table": (item, drawing) => table(item.value, drawing),
  "joined-table": (item, drawing) => table(item.value, drawing),
  histogram: (item, drawing) => histogram(item.value, drawing),
  "html-file": page,
  "audio-file": audio,
  "video-file": video,
  "graph-file": graph,
  string: text,
  boolean: text,
  list: text,
};
/** Pictures drawn at once, and others, which are heavier; a button shows the next. */
const PICTURES_AT_ONCE = 48;
const OTHERS_AT_ONCE = 6;
/** So many share the width of a card; more are smaller. */
const FEW = 4;

/** Draw a logged value by its kind: one thing, or a grid of those logged in one step. */
export function draw(kind: string, drawing: Drawing): HTMLElement {
  const items = itemsOf(kind, drawing.value);
  const arePictures = items.every((item) => item.kind === "image-file");
  const atOnce = arePictures ? PICTURES_AT_ONCE : OTHERS_AT_ONCE;
  const grid = make("div", items.length > 1 ? "media-grid" : "media-single");
  grid.classList.toggle("is-wide", !arePictures);
  grid.classList.toggle("is-few", items.length <= FEW);
  if (items.length > 1) grid.tabIndex = 0; // it scrolls
  const add = (from: number) => {
    for (const item of items.slice(from, from + atOnce)) grid.append(figureOf(item, items, drawing));
    const rest = items.length - from - atOnce;
    if (rest <= 0) return;
    const more = make("button", "btn btn-sm", word("moreItems", { n: rest }));
    more.type = "button";
    more.addEventListener("click", () => {
      more.remove();
      add(from + atOnce);
    });
    grid.append(more);
  };
  add(0);
  return grid;
}

function drawn(item: Item, drawing: Drawing): HTMLElement {
  const view = viewerOf(item.kind);
  if (view) return view(item, { ...drawing, viewers: drawing.urls.viewers });
  return (entryOf(DRAWERS, item.kind) ?? other)(item, drawing);
}

function figureOf(item: Item, items: readonly Item[], drawing: Drawing): HTMLElement {
  const figure = make("figure");
  figure.append(drawn(item, drawing), caption(item.caption));
  if (item.kind === "image-file") makeEnlargeable(figure, items, items.indexOf(item), drawing);
  return figure;
}
