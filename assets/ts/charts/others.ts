import { make } from "../lib/dom";
import { word } from "../lib/words";
import type { KeyInfo } from "./wire";

/** Longest text of a value in the table, characters. */
const LONGEST = 160;

/** List keys that are no numbers (text, images, tables, histograms) with their last value. */
export function showOthers(section: HTMLElement, keys: KeyInfo[]): void {
  section.hidden = keys.length === 0;
  const body = section.querySelector("tbody");
  body?.replaceChildren(...keys.map(rowOf));
}

function rowOf(info: KeyInfo): HTMLTableRowElement {
  const row = make("tr");
  const name = make("th", "mono", info.key);
  name.scope = "row";
  const value = make("td", "other-value mono", textOf(info.last));
  value.title = value.textContent ?? "";
  row.append(name, make("td", "", typeOf(info)), make("td", "num end", info.count.toLocaleString()), value);
  return row;
}

/** The SDK says what an object is in `_type`: `image-file`, `histogram`, `table-file`. */
function typeOf({ type, last }: KeyInfo): string {
  if (type !== "object") return word(`type_${type}`);
  const name =
    typeof last === "object" && last !== null ? (last as Record<string, unknown>)._type : undefined;
  return typeof name === "string" ? name.replace(/-file$/, "") : word("type_object");
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
