import { entryOf } from "../lib/record";

/** Whether a specification is in Vega's own language rather than in Vega-Lite. */
export function isVega(spec: Record<string, unknown>): boolean {
  const schema = String(spec.$schema ?? "");
  if (/\/vega-lite\//.test(schema)) return false;
  return /\/vega\//.test(schema) || (Array.isArray(spec.marks) && !("mark" in spec));
}

/** Whether data of a specification come from an address; nothing is read from anywhere. */
export function hasAddress(part: unknown, isData = false): boolean {
  if (Array.isArray(part)) return part.some((inner) => hasAddress(inner, isData));
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(
    ([name, inner]) => (isData && name === "url") || hasAddress(inner, name === "data" || name === "from"),
  );
}

/** What a tip says of a row, or of a single value; null for nothing. */
export function tipRows(
  value: unknown,
  titles: Record<string, string>,
): [name: string, text: string][] | null {
  if (value === null || value === undefined || value === "") return null;
  const rows =
    typeof value === "object" && !Array.isArray(value)
      ? Object.entries(value as object).filter(([name]) => isSaid(name, value as object))
      : [["", value] as const];
  return rows.map(([name, cell]): [string, string] => [
    entryOf(titles, name) ?? name,
    typeof cell === "object" ? (JSON.stringify(cell) ?? "") : String(cell),
  ]);
}

/** Whether a tip shows a value of a row: all but its run's id and colour, and the ends of stacks. */
function isSaid(name: string, row: object): boolean {
  return (
    !["id", "color"].includes(name) &&
    !(/_(start|end)$/.test(name) && Object.hasOwn(row, name.replace(/_(start|end)$/, "")))
  );
}
