import type { ColumnType } from "../catalogue";
import type { Leaf, Tree, Value } from "../state";
import { plainText, WITH_LIST, WITHOUT_VALUE, writeTree } from "./tree";

/** A group being edited. Rows without column or value stay here until they are whole. */
export interface Draft {
  join: "all" | "any";
  not: boolean;
  parts: (Draft | Row)[];
}

export interface Row {
  column: string;
  operator: string;
  /** As typed; several values by commas, in quotes where one has a comma itself. */
  value: string;
  /** What the server read, until something else is typed: its text does not say of which type it is. */
  given?: Value | Value[] | undefined;
}

type TypeOf = (column: string) => ColumnType | undefined;

export function emptyRow(): Row {
  return { column: "", operator: "=", value: "", given: undefined };
}

/** The draft that shows a filter as the server read it. */
export function draftOf(tree: Tree | null): Draft {
  if (!tree) return { join: "all", not: false, parts: [] };
  const part = partOf(tree);
  return "parts" in part ? part : { join: "all", not: false, parts: [part] };
}

function partOf(tree: Tree): Draft | Row {
  if ("all" in tree) return { join: "all", not: false, parts: tree.all.map(partOf) };
  if ("any" in tree) return { join: "any", not: false, parts: tree.any.map(partOf) };
  if ("not" in tree) {
    const inner = partOf(tree.not);
    return "parts" in inner && !inner.not
      ? { ...inner, not: true }
      : { join: "all", not: true, parts: [inner] };
  }
  const { column, operator, value } = tree;
  if (WITHOUT_VALUE.has(operator)) return { column, operator, value: "" };
  const text = Array.isArray(value) ? value.map((item) => listItem(String(item))).join(", ") : String(value);
  return { column, operator, value: text, given: value };
}

/** A value as it is written among others. */
function listItem(text: string): string {
  return /[,"]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll(/[\\"]/g, "\\$&")}"` : text;
}

/** The values of a list as they are typed, with their quotes; also one that is empty. */
function listItems(list: string): string[] {
  const items = [""];
  for (const [piece] of list.matchAll(/"(?:\\.|[^"\\])*"?|,|[^",]+/gs)) {
    if (piece === ",") items.push("");
    else items[items.length - 1] += piece;
  }
  return items.map((item) => item.trim());
}

/** The expression that a draft means; rows that are not whole are left out. */
export function textOf(draft: Draft, typeOf: TypeOf): string {
  const tree = treeOf(draft, typeOf);
  return tree ? writeTree(tree) : "";
}

function treeOf(part: Draft | Row, typeOf: TypeOf): Tree | undefined {
  if (!("parts" in part)) return leafOf(part, typeOf);
  const parts = part.parts.map((inner) => treeOf(inner, typeOf)).filter((inner) => inner !== undefined);
  if (!parts.length) return undefined;
  const [first] = parts;
  const whole: Tree =
    parts.length === 1 && first ? first : part.join === "all" ? { all: parts } : { any: parts };
  return part.not ? { not: whole } : whole;
}

function leafOf({ column, operator, value, given }: Row, typeOf: TypeOf): Leaf | undefined {
  if (!column) return undefined;
  if (WITHOUT_VALUE.has(operator)) return { column, operator, value: null };
  const isList = WITH_LIST.has(operator);
  if (given !== undefined && Array.isArray(given) === isList) return { column, operator, value: given };
  const type = typeOf(column);
  if (!isList) return value.trim() ? { column, operator, value: readValue(value.trim(), type) } : undefined;
  const items = listItems(value).filter(Boolean);
  const values = items.map((item) => (item.startsWith('"') ? plainText(item) : readValue(item, type)));
  return values.length ? { column, operator, value: values } : undefined;
}

/** A value as its column's type suggests; in columns of several types, numbers are numbers. */
function readValue(text: string, type: ColumnType | undefined): Value {
  if (type === "text" || type === "tags" || type === "time") return text;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
}

/** What is typed of the last value of a list, or of a single one, without the quotes of a list. */
export function lastTyped(operator: string, typed: string): string {
  return WITH_LIST.has(operator) ? (listItems(typed).at(-1) ?? "").replaceAll('"', "") : typed.trim();
}

/** A list in which what is typed of its last value is replaced. */
export function withLast(list: string, value: string): string {
  return [...listItems(list).slice(0, -1), listItem(value)].join(", ");
}
