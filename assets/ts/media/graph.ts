import { make } from "../lib/dom";
import { formatCount } from "../lib/format";
import { readJson } from "../lib/json";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { download, missing, textOf } from "./parts";
import type { Drawing, Item } from "./wire";

/** Layers shown; the file has all. */
const MOST_LAYERS = 500;

interface Layer {
  id?: unknown;
  name?: unknown;
  class_name?: unknown;
  output_shape?: unknown;
  num_parameters?: unknown;
}

/** The layers of a model that `wandb.watch` or `wandb.Graph` logged, as a table. */
export function graph({ value }: Item, { files }: Drawing): HTMLElement {
  const path = textOf(value.path);
  const link = entryOf(files, path);
  if (!link) return missing(path);
  const box = make("div", "media-other");
  const place = make("div", "table-wrap");
  place.append(make("div", "skeleton media-wait"));
  box.append(place, download(path, link));
  void layersAt(link.url).then(
    (layers) => place.replaceChildren(layers.length ? tableOf(layers) : make("p", "muted", word("noLayers"))),
    () => place.replaceChildren(make("p", "muted", word("mediaFailed"))),
  );
  return box;
}

async function layersAt(url: string): Promise<Layer[]> {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  const { nodes } = readJson(await reply.text()) as { nodes?: unknown };
  if (!Array.isArray(nodes)) throw new Error("no nodes");
  return nodes.filter((node) => typeof node === "object" && node !== null) as Layer[];
}

function tableOf(layers: Layer[]): HTMLElement {
  const table = make("table", "data-table");
  const head = make("tr");
  for (const name of ["layer", "layerKind", "outputShape", "parameters"]) {
    const cell = make("th", name === "parameters" ? "end" : "", word(name));
    cell.scope = "col";
    head.append(cell);
  }
  table.append(make("thead"), make("tbody"));
  table.tHead?.append(head);
  for (const layer of layers.slice(0, MOST_LAYERS)) table.tBodies[0]?.append(lineOf(layer));
  if (layers.length <= MOST_LAYERS) return table;
  const box = make("div");
  box.append(table, make("p", "muted", word("moreItems", { n: layers.length - MOST_LAYERS })));
  return box;
}

function lineOf({ id, name, class_name, output_shape, num_parameters }: Layer): HTMLElement {
  const line = make("tr");
  const shape = output_shape === undefined || output_shape === null ? "" : JSON.stringify(output_shape);
  const count = parameterCount(num_parameters);
  line.append(
    make("th", "mono", textOf(name) || textOf(id)),
    make("td", "", textOf(class_name)),
    make("td", "mono", shape),
    make("td", "num end", count ? formatCount(count) : ""),
  );
  return line;
}

/** How many parameters a layer has: a number, or the sum of a list of them, of lists too. */
export function parameterCount(given: unknown): number {
  return [given].flat(2).reduce((sum: number, one) => sum + (Number(one) || 0), 0);
}
