import { make, makeIconButton } from "../lib/dom";
import { placeAfter } from "../lib/lists";
import { word } from "../lib/words";
import { picture } from "./images";
import { legend } from "./legend";
import type { Drawing, Item } from "./wire";

/** What is shown over the window, one at a time. */
export interface Gallery {
  /** What all of it is called. */
  name: string;
  count: number;
  title(at: number): string;
  draw(at: number): HTMLElement;
  /** Shown below. */
  below?: HTMLElement;
}

/** Let a click on a picture, or its button, show it over the whole window; arrows go on to those logged with it. */
export function makeEnlargeable(
  figure: HTMLElement,
  items: readonly Item[],
  at: number,
  drawing: Drawing,
): void {
  const { key } = drawing;
  const show = () =>
    openGallery(at, {
      name: key,
      count: items.length,
      title: (n) => items[n]?.caption || key,
      draw: (n) => picture(items[n] as Item, drawing),
      below: legend(key),
    });
  const button = makeIconButton("maximize-2", word("enlargeImage"));
  button.classList.add("media-enlarge");
  button.addEventListener("click", show);
  figure.classList.add("is-enlargeable");
  figure.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("img, .media-box")) show();
  });
  figure.append(button);
}

/** Show a gallery from its `first` on; arrows go on, and Escape closes it. */
export function openGallery(first: number, { name, count, title, draw, below }: Gallery): void {
  let at = first;
  const dialog = make("dialog", "modal-box lightbox");
  dialog.setAttribute("aria-label", name);
  const heading = make("h2", "truncate");
  const place = make("span", "muted num");
  const body = make("div", "lightbox-body");
  const turn = (places: number) => {
    at = placeAfter(at, places, count);
    heading.textContent = title(at);
    place.textContent = count > 1 ? word("itemOf", { n: at + 1, all: count }) : "";
    body.replaceChildren(draw(at));
  };
  const arrows = count > 1 ? arrowButtons(turn) : [];
  const close = makeIconButton("x", word("closeImage"));
  close.addEventListener("click", () => dialog.close());
  const head = make("header", "modal-head");
  head.append(heading, place, ...arrows, close);
  dialog.append(head, body);
  if (below) dialog.append(below);
  dialog.addEventListener("keydown", (event) => {
    const places = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!places || count < 2 || event.target instanceof HTMLInputElement) return; // sliders have arrows, too
    event.preventDefault();
    turn(places);
  });
  dialog.addEventListener("close", () => dialog.remove());
  turn(0);
  document.body.append(dialog);
  dialog.showModal();
}

function arrowButtons(turn: (places: number) => void): HTMLButtonElement[] {
  const back = makeIconButton("chevron-left", word("previousImage"));
  const forward = makeIconButton("chevron-right", word("nextImage"));
  back.addEventListener("click", () => turn(-1));
  forward.addEventListener("click", () => turn(1));
  return [back, forward];
}
