import { make } from "../lib/dom";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";

/** A picture, a sound or anything else in a cell; without `url` it is named only. */
interface CellMedia {
  kind: string;
  url: string;
  caption: string;
  path: string;
}

/** A mean, with the range to hover. */
export function meanCell(numbers: [number, number, number] | undefined): HTMLElement {
  if (!numbers) return make("td", "muted", "");
  const [mean, low, high] = numbers;
  const cell = make("td", "num end", formatValue(mean));
  cell.title = word("meanOf", { low: formatValue(low), high: formatValue(high) });
  return cell;
}

export function cellOf(value: unknown): HTMLElement {
  if (Array.isArray(value)) {
    const cell = make("td", "panel-table-media");
    cell.append(...(value as CellMedia[]).map(mediaOf));
    return cell;
  }
  const isNumber = typeof value === "number";
  const cell = make("td", isNumber ? "num end" : "", isNumber ? formatValue(value) : plain(value));
  cell.title = plain(value);
  return cell;
}

function mediaOf({ kind, url, caption, path }: CellMedia): HTMLElement {
  const name = caption || path || kind;
  if (!url) return make("span", "muted", name);
  if (kind === "audio" || kind === "video") {
    const player = make(kind);
    player.controls = true;
    player.preload = "none";
    player.src = url;
    player.setAttribute("aria-label", name);
    return player;
  }
  const image = make("img", "cell-image");
  image.src = url;
  image.alt = name;
  image.title = name;
  image.loading = "lazy";
  return image;
}

export function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return (value as CellMedia[]).map((one) => one.caption || one.path).join(", ");
  return typeof value === "string" ? value : String(value);
}
