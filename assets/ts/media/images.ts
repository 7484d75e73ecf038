import { make } from "../lib/dom";
import { entryOf } from "../lib/record";
import { layered } from "./overlay";
import { missing, textOf } from "./parts";
import type { Drawing, Item } from "./wire";

/** Pictures up to this width show their pixels when they are drawn larger. */
export const SMALL_PX = 128;

/** A picture with its masks and boxes. */
export function picture({ value, caption }: Item, drawing: Drawing): HTMLElement {
  const path = textOf(value.path);
  const link = entryOf(drawing.files, path);
  if (!link) return missing(path);
  const image = make("img");
  image.src = link.url;
  image.alt = caption || drawing.key;
  image.loading = "lazy";
  image.decoding = "async";
  if (Number(value.width) > 0 && Number(value.height) > 0) {
    image.width = Number(value.width);
    image.height = Number(value.height);
    image.classList.toggle("is-small", image.width <= SMALL_PX);
  }
  image.addEventListener("error", () => image.replaceWith(missing(path)));
  return layered(image, value, drawing);
}
