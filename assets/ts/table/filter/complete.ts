import { word } from "../../lib/words";
import type { Catalogue, ColumnInfo, ColumnType } from "../catalogue";
import type { Option } from "../combobox";
import { type Place, placeAt } from "./tokens";
import { plainText, WITH_LIST } from "./tree";

const MOST = 50;
const OPERATORS: Record<ColumnType, string[]> = {
  number: ["=", "!=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null"],
  time: [">=", "<=", ">", "<", "is null", "is not null"],
  text: ["=", "!=", "contains", "matches", "in", "not in", "is null", "is not null"],
  tags: ["contains", "=", "!=", "in", "not in", "is null", "is not null"],
  boolean: ["=", "!=", "is null", "is not null"],
  mixed: ["=", "!=", "<", "<=", ">", ">=", "in", "not in", "contains", "matches", "is null", "is not null"],
};

/** Operators that make sense for a column of this type. */
export function operatorsOf(type: ColumnType | undefined): string[] {
  return OPERATORS[type ?? "mixed"];
}

export interface Completion {
  place: Place;
  options: Option[];
}

/** What may be written at `caret`, best first. */
export async function completeAt(catalogue: Catalogue, text: string, caret: number): Promise<Completion> {
  const place = placeAt(text, caret);
  const columns = await catalogue.columns();
  const options = await optionsAt(catalogue, columns, place);
  return { place, options: options.slice(0, MOST) };
}

/** An expression after something was chosen for a place of it. */
export interface Completed {
  text: string;
  caret: number;
  /** Whether a condition ends there, so that it can be applied. */
  isWhole: boolean;
}

/** Write what was chosen into an expression; a list begins with its bracket, and goes on behind a comma. */
export function completed(expression: string, { wants, from, to, inList }: Place, chosen: string): Completed {
  const after = expression.slice(to).replace(/^\s+/, "");
  const gap = wants === "value" && inList && chosen !== "]" ? ", " : " ";
  const before = expression.slice(0, from).replace(chosen === "]" ? /,?\s*$/ : /$^/, "");
  const opened = wants === "operator" && WITH_LIST.has(chosen) ? `${chosen} [` : chosen;
  const text = before + opened + gap + after;
  const isWhole = (wants === "value" && !inList && !after) || wants === "null" || chosen === "]";
  return { text, caret: text.length - after.length, isWhole };
}

async function optionsAt(catalogue: Catalogue, columns: ColumnInfo[], place: Place): Promise<Option[]> {
  const typed = place.typed.toLowerCase().replaceAll(/["'`]/g, "");
  const info = catalogue.find(place.column);
  switch (place.wants) {
    case "column":
      return columnOptions(columns, typed);
    case "operator":
      return matching(operatorsOf(info?.type), typed);
    case "null":
      return matching(["null", "not null"], typed);
    case "joiner":
      return matching(["and", "or"], typed);
    case "value":
      return valueOptions(await catalogue.values(place.column), info?.type, place, typed);
  }
}

/** Columns whose name has every typed word; those that begin with what is typed come first. */
export function columnOptions(columns: ColumnInfo[], typed: string): Option[] {
  const words = typed
    .toLowerCase()
    .split(/[\s.]+/)
    .filter(Boolean);
  const found = columns.filter(({ name, label }) => {
    const whole = `${name} ${label}`.toLowerCase();
    return words.every((part) => whole.includes(part));
  });
  const rank = ({ name, label }: ColumnInfo) =>
    name.toLowerCase().startsWith(typed) || label.toLowerCase().startsWith(typed) ? 0 : 1;
  return found
    .map((column, index) => ({ column, index }))
    .sort((one, other) => rank(one.column) - rank(other.column) || one.index - other.index)
    .map(({ column }) => ({
      value: column.name,
      text: column.name,
      label: column.label,
      hint: word(`part_${column.part}`),
    }));
}

function valueOptions(values: string[], type: ColumnType | undefined, place: Place, typed: string): Option[] {
  const known =
    type === "time" ? ["-1h", "-1d", "-7d", "-30d"] : type === "boolean" ? ["true", "false"] : values;
  const found = matching(known, typed);
  return place.inList && !typed ? [...found, { value: "]", text: "]", label: "]" }] : found;
}

function matching(texts: string[], typed: string): Option[] {
  const found = texts.filter((text) => text.toLowerCase().includes(typed));
  const isWhole = found.length === 1 && found[0]?.toLowerCase() === typed;
  return isWhole ? [] : found.map((text) => ({ value: text, text, label: plainText(text) }));
}
