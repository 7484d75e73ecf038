import { Catalogue, type ColumnInfo, type ColumnType } from "../table/catalogue";

/** Names of columns that panels offer, as in the runs table; keys of config and summary stand as they are. */
export interface Offered {
  columns: readonly string[];
  /** Those with numbers, times among them. */
  numeric: readonly string[];
  /** Numbers of the summary. */
  metrics: readonly string[];
}

export const NOTHING_OFFERED: Offered = { columns: [], numeric: [], metrics: [] };

const NUMERIC = new Set<ColumnType>(["number", "mixed", "time", "boolean"]);
/** Fields that no panel can draw: each run has its own. */
const UNUSED = new Set(["id", "notes", "name", "commit"]);

/** Read which columns the project's runs have, whether or not they are drawn; from the runs table's page. */
export async function readOffered(url: string): Promise<Offered> {
  return offeredOf(await new Catalogue(Object.assign(new EventTarget(), { url })).columns());
}

/** What panels offer of a project's columns: those of config and summary first. */
export function offeredOf(found: readonly ColumnInfo[]): Offered {
  const named = found
    .filter(({ part, label, name }) => (part === "field" ? !UNUSED.has(name) : !label.startsWith("_")))
    .map(({ part, label, name, type }) => ({
      part,
      type,
      name: part === "field" ? name : `${part}.${label}`,
    }));
  const ordered = [
    ...named.filter(({ part }) => part !== "field"),
    ...named.filter(({ part }) => part === "field"),
  ];
  const numeric = ordered.filter(({ type }) => NUMERIC.has(type));
  return {
    columns: ordered.map(({ name }) => name),
    numeric: numeric.map(({ name }) => name),
    metrics: numeric
      .filter(({ part, type }) => part === "summary" && type !== "boolean")
      .map(({ name }) => name),
  };
}
