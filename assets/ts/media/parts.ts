import { make, makeIcon } from "../lib/dom";
import { formatBytes } from "../lib/format";
import { word } from "../lib/words";
import type { FileLink } from "./wire";

/** Text from a logged value; anything else gives the fallback. */
export function textOf(value: unknown, fallback = ""): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : fallback;
}

/** What stands where a file should be that the server does not have; some were logged as references only. */
export function missing(path: string): HTMLElement {
  const box = make("div", "media-missing");
  const isElsewhere = /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  const text = isElsewhere ? word("fileElsewhere", { path }) : word("fileMissing");
  box.append(makeIcon("file"), make("span", "", text));
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

/** Say that a file is larger than what is shown, and offer it. */
export function tooLarge(path: string, link: FileLink, limit: number): HTMLElement {
  const box = make("div", "media-framed");
  const text = word("tooLarge", { size: formatBytes(link.size), limit: formatBytes(limit) });
  box.append(make("p", "muted", text), download(path, link));
  return box;
}

export function caption(text: string): HTMLElement | string {
  return text ? make("figcaption", "", text) : "";
}
