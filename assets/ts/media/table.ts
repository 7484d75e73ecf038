import { make } from "../lib/dom";
import { word } from "../lib/words";
import { PagedTable } from "./paged-table";
import { textOf } from "./parts";
import type { Drawing } from "./wire";

/** A logged table, read page by page: from the artifact that has it, or from a file of the run. */
export function table(value: Record<string, unknown>, { key, step, urls }: Drawing): HTMLElement {
  const box = make("div", "media-table");
  box.append(make("div", "skeleton media-wait"));
  const file = textOf(value.path) || textOf(value.artifact_path);
  const url = `${urls.table}?${new URLSearchParams({ key, step: String(step), file })}`;
  new PagedTable(box, { url, viewers: urls.viewers })
    .read()
    .catch(() => box.replaceChildren(make("p", "muted", word("tableFailed"))));
  return box;
}
