import { onRecolor } from "../charts/palette";
import { make } from "../lib/dom";
import { sandboxed } from "../lib/frames";
import { entryOf } from "../lib/record";
import { urlPath } from "../lib/url-paths";
import { word } from "../lib/words";
import { download, missing, textOf, tooLarge } from "./parts";
import type { Drawing, FileLink, Item } from "./wire";

/** What the server gives to a frame. */
const MOST_PAGE_BYTES = 32 * 1024 * 1024;

/** The frames that are shown, with the addresses of their pages. */
const pages = new Map<HTMLIFrameElement, string>();

/** The server gives pages without colors of their own those of the theme. */
function paintPage(frame: HTMLIFrameElement, url: string): void {
  const scheme = document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
  frame.style.colorScheme = scheme; // one that differs from the page's would be drawn on white
  frame.src = `${url}?scheme=${scheme}`;
}

onRecolor(() => {
  for (const [frame, url] of pages) {
    if (frame.isConnected) paintPage(frame, url);
    else pages.delete(frame);
  }
});

/** A page somebody logged: in a frame of no origin, without network; see metrics/views/media.py. */
export function page({ value }: Item, { files, urls, key }: Drawing): HTMLElement {
  const path = textOf(value.path);
  const link = entryOf(files, path);
  if (!link) return missing(path);
  if (link.size > MOST_PAGE_BYTES) return tooLarge(path, link, MOST_PAGE_BYTES);
  const url = `${urls.frame}${urlPath(path)}`;
  const frame = sandboxed("media-frame", key, "about:blank");
  pages.set(frame, url);
  paintPage(frame, url);
  frame.referrerPolicy = "same-origin"; // the server gives it to pages of ours only
  frame.loading = "lazy";
  const box = make("div", "media-framed");
  box.append(frame, download(path, link));
  return box;
}

export function audio(item: Item, drawing: Drawing): HTMLElement {
  return played("audio", item, drawing);
}

export function video(item: Item, drawing: Drawing): HTMLElement {
  return played("video", item, drawing);
}

/** A player reads the beginning of its file once it is near the window, and the file when it is started. */
function played(tag: "audio" | "video", { value, caption }: Item, { files, key }: Drawing): HTMLElement {
  const path = textOf(value.path);
  const link = entryOf(files, path);
  if (!link) return missing(path);
  if (tag === "video" && link.type.startsWith("image/")) {
    const image = make("img"); // an animated GIF is a picture to browsers
    image.src = link.url;
    image.alt = caption || key;
    image.loading = "lazy";
    return image;
  }
  const player = make(tag);
  player.controls = true;
  player.preload = "none";
  player.src = link.url;
  player.setAttribute("aria-label", caption || key);
  player.addEventListener("error", () => player.replaceWith(notPlayable(path, link)));
  nearby.observe(player);
  return player;
}

/** Say that the browser knows no such format, or that the file is damaged, and offer it. */
function notPlayable(path: string, link: FileLink): HTMLElement {
  const box = make("div", "media-unplayable");
  box.append(make("p", "muted", word("notPlayable")), download(path, link));
  return box;
}

const nearby = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    nearby.unobserve(target);
    (target as HTMLMediaElement).preload = "metadata";
  }
});

export function text({ value }: Item): HTMLElement {
  const shown = value.text;
  const box = make("pre", "media-text", typeof shown === "string" ? shown : JSON.stringify(shown, null, 2));
  box.tabIndex = 0;
  return box;
}

/** What there is no drawing for here: its file, and its value. */
export function other({ value }: Item, { files }: Drawing): HTMLElement {
  const box = make("div", "media-other");
  const path = textOf(value.path);
  if (path) box.append(download(path, entryOf(files, path)));
  const json = make("pre", "media-text", JSON.stringify(value, null, 2));
  json.tabIndex = 0;
  box.append(json);
  return box;
}
