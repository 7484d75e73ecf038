import { entryOf } from "../../lib/record";
import type { Row } from "./messages";

/** What a specification leaves to be filled in: `${field:x}` a column, `${string:title}` a text. */
export interface Holes {
  fields: string[];
  strings: string[];
}

const HOLE = /\$\{(field|string):([^{}:]+)(?::([^{}]*))?\}/g;
/** Vega reads these in a field's name as a way into it. */
const UNSAFE = /[.[\]\\'"]/g;

export function holesOf(text: string): Holes {
  const found = { field: new Set<string>(), string: new Set<string>() };
  for (const [, kind, name = ""] of text.matchAll(HOLE)) found[kind as "field" | "string"].add(name);
  return { fields: [...found.field], strings: [...found.string] };
}

/** The name under which rows carry a column. */
export function safeName(column: string): string {
  return column.replace(UNSAFE, "_");
}

/** Read a specification and fill its holes; in keys, too. Throws a SyntaxError where it is no JSON. */
export function filled(
  text: string,
  fields: Record<string, string>,
  strings: Record<string, string>,
): Record<string, unknown> {
  const spec: unknown = JSON.parse(text);
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) throw new SyntaxError("{ … }");
  const fill = (written: string) =>
    written.replace(HOLE, (_, kind: string, name: string, otherwise = "") =>
      kind === "field"
        ? safeName(entryOf(fields, name) ?? (otherwise || name))
        : (entryOf(strings, name) ?? otherwise),
    );
  const walk = (part: unknown): unknown => {
    if (typeof part === "string") return fill(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [fill(name), walk(inner)]));
  };
  return walk(spec) as Record<string, unknown>;
}

/** Leave out a title that is shown already. */
export function untitled(spec: Record<string, unknown>, shown: string): Record<string, unknown> {
  const { title, ...rest } = spec;
  const text = typeof title === "object" && title !== null ? (title as { text?: unknown }).text : title;
  return text === shown || text === "" ? rest : spec;
}

/** Rows under names that Vega can read, and what to call those that differ. */
export function safeRows(rows: readonly Row[]): { rows: Row[]; titles: Record<string, string> } {
  const names = new Map<string, string>();
  for (const row of rows) {
    for (const column of Object.keys(row)) {
      if (!names.has(column)) names.set(column, safeName(column));
    }
  }
  const others = [...names].filter(([column, safe]) => safe !== column);
  const titles = Object.fromEntries(others.map(([column, safe]) => [safe, column]));
  if (!others.length) return { rows: [...rows], titles };
  return {
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, cell]) => [names.get(column) ?? column, cell])),
    ),
    titles,
  };
}
