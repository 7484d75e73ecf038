import type { Row } from "./messages";

/** A column for a field that is yet to be chosen: one of its name, else one of numbers that is not taken. */
export function guess(
  field: string,
  columns: readonly string[],
  row: Row | undefined,
  taken: readonly string[],
): string {
  if (columns.includes(field)) return field;
  if (["x", "step"].includes(field) && columns.includes("_step")) return "_step";
  const numbers = columns.filter((name) => typeof row?.[name] === "number" && !/^(summary\.)?_/.test(name));
  return numbers.find((name) => !taken.includes(name)) ?? "";
}
