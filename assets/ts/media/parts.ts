import { make, makeIcon } from "../lib/dom";
import { formatBytes } from "../lib/format";
import { word } from "../lib/words";
import type { FileLink } from "./wire";

/** Text from a logged value; anything else gives the fallback. */
export function textOf(value: unknown, fallback = ""): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : fallback;
}

/** What stands where a file should be that the server does not have. */
export function missing(path: string): HTMLElement {
  const box = make("div", "media-missing");
  box.append(makeIcon("file"), make("span", "", word("fileMissing")));
  box.title = path;
  return box;
}

/** A link to a file that is not drawn here. */
export function download(path: string, link: FileLink | undefined): HTMLElement {
  if (!link) return missing(path);
  const anchor = make("a", "btn btn-sm");
  anchor.href = link.url;
  anchor.download = path.split("/").pop() ?? "file";
  anchor.append(makeIcon("download"), `${word("download")} · ${formatBytes(link.size)}`);
  return anchor;
}

export function caption(text: string): HTMLElement | string {
  return text ? make("figcaption", "", text) : "";
}
