import { make, makeIcon } from "../lib/dom";
import { formatBytes, formatValue } from "../lib/format";
import { word } from "../lib/words";
import { type CellMedia, isEnlarged, plain } from "./cell-media";
import { SMALL_PX } from "./images";
import { kindOf } from "./kinds";
import { openGallery } from "./lightbox";
import { viewerOf } from "./viewer";

/** Where the cells of a table find viewers, and the pictures beside them. */
export interface CellStage {
  viewers: string;
  /** The pictures and figures of a column in the rows that are shown, in their order. */
  column(at: number): CellMedia[];
}

/** A mean, with the range to hover. */
export function meanCell(numbers: [number, number, number] | undefined): HTMLElement {
  if (!numbers) return make("td", "muted", "");
  const [mean, low, high] = numbers;
  const cell = make("td", "num end", formatValue(mean));
  cell.title = word("meanOf", { low: formatValue(low), high: formatValue(high) });
  return cell;
}

export function cellOf(value: unknown, at: number, stage: CellStage): HTMLElement {
  if (Array.isArray(value)) {
    const cell = make("td", "panel-table-media");
    cell.append(...(value as CellMedia[]).map((one) => mediaOf(one, at, stage)));
    return cell;
  }
  const isNumber = typeof value === "number";
  const cell = make("td", isNumber ? "num end" : "", isNumber ? formatValue(value) : plain(value));
  cell.title = plain(value);
  return cell;
}

function nameOf({ kind, caption }: CellMedia): string {
  return caption || word(kindOf(kind)[1]);
}

function mediaOf(media: CellMedia, at: number, stage: CellStage): HTMLElement {
  const name = nameOf(media);
  if (!media.url) return make("span", "muted", media.caption || media.path || name);
  if (isEnlarged(media)) return enlargeable(media, name, at, stage);
  return /^(audio|video)\//.test(media.type) ? player(media, name) : file(media, name);
}

function player({ kind, url }: CellMedia, name: string): HTMLElement {
  const element = make(kind === "video" ? "video" : "audio");
  element.controls = true;
  element.preload = kind === "video" ? "metadata" : "none";
  element.src = url;
  element.setAttribute("aria-label", name);
  return element;
}

/** What can only be downloaded. */
function file({ kind, url, path, size }: CellMedia, name: string): HTMLElement {
  const link = make("a", "btn btn-sm");
  link.href = url;
  link.download = path.split("/").pop() ?? "file";
  link.title = `${word("download")} · ${formatBytes(size)}`;
  link.append(makeIcon(kindOf(kind)[0]), make("span", "truncate", name), makeIcon("download"));
  return link;
}

/** A picture, or a button that names a figure; either is opened over the window. */
function enlargeable(media: CellMedia, name: string, at: number, stage: CellStage): HTMLElement {
  const isPicture = media.type.startsWith("image/");
  const button = make("button", isPicture ? "cell-picture" : "btn btn-sm");
  button.type = "button";
  button.title = name;
  button.setAttribute("aria-label", word("enlargeNamed", { name }));
  if (isPicture) button.append(imageOf(media, "cell-image"));
  else button.append(makeIcon(kindOf(media.kind)[0]), make("span", "truncate", name));
  button.addEventListener("click", () => {
    const all = stage.column(at);
    const first = Math.max(0, all.indexOf(media));
    openGallery(first, {
      name,
      count: all.length,
      title: (n) => nameOf(all[n] as CellMedia),
      draw: (n) => enlarged(all[n] as CellMedia, stage),
    });
  });
  return button;
}

function imageOf({ url, caption }: CellMedia, className: string): HTMLImageElement {
  const image = make("img", className);
  image.src = url;
  image.alt = caption;
  image.loading = "lazy";
  image.decoding = "async";
  image.addEventListener("load", () => image.classList.toggle("is-small", image.naturalWidth <= SMALL_PX));
  return image;
}

function enlarged(media: CellMedia, { viewers }: CellStage): HTMLElement {
  if (media.type.startsWith("image/")) return imageOf(media, "");
  const { caption, path, url, size, type } = media;
  const files = { [path]: { url, size, type } };
  return (
    viewerOf(media.kind)?.({ value: { path }, caption }, { files, viewers, key: nameOf(media) }) ??
    make("div")
  );
}
