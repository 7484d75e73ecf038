import { make, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import { picture } from "./images";
import { legend } from "./legend";
import type { Drawing, Item } from "./wire";

/** Let a click on a picture, or its button, show it over the whole window; arrows go on to those logged with it. */
export function makeEnlargeable(
  figure: HTMLElement,
  items: readonly Item[],
  at: number,
  drawing: Drawing,
): void {
  const show = () => open(items, at, drawing);
  const button = makeIconButton("maximize-2", word("enlargeImage"));
  button.classList.add("media-enlarge");
  button.addEventListener("click", show);
  figure.classList.add("is-enlargeable");
  figure.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("img, .media-box")) show();
  });
  figure.append(button);
}

function open(items: readonly Item[], first: number, drawing: Drawing): void {
  let at = first;
  const dialog = make("dialog", "modal-box lightbox");
  dialog.setAttribute("aria-label", drawing.key);
  const title = make("h2", "truncate");
  const count = make("span", "muted num");
  const place = make("div", "lightbox-body");
  const turn = (places: number) => {
    at = (at + places + items.length) % items.length;
    const item = items[at];
    if (!item) return;
    title.textContent = item.caption || drawing.key;
    count.textContent = items.length > 1 ? word("itemOf", { n: at + 1, all: items.length }) : "";
    place.replaceChildren(picture(item, drawing));
  };
  const arrows = items.length > 1 ? arrowButtons(turn) : [];
  const close = makeIconButton("x", word("closeImage"));
  close.addEventListener("click", () => dialog.close());
  const head = make("header", "modal-head");
  head.append(title, count, ...arrows, close);
  dialog.append(head, place, legend(drawing.key));
  dialog.addEventListener("keydown", (event) => {
    const places = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!places || event.target instanceof HTMLInputElement) return; // sliders have arrows, too
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
