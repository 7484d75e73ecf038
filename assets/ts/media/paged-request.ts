/** Stands for the run among the columns to group by: no column has this character, and the server keeps it. */
export const RUN = "\u0001run";
/** Before the column by which the tables of runs are joined, among the same choices. */
export const JOIN = "\u0001join ";

/** Which rows of logged tables are meant. */
export interface Narrowed {
  find: string;
  /** Conditions as the server reads them. */
  where: string;
  /** Undefined for the newest tables. */
  step: number | undefined;
  /** A column, `RUN`, `JOIN` and a column, or "" for none. */
  groupBy: string;
}

/** What asks for the rows that are meant, all of them. */
export function narrowedQuery({ find, where, step, groupBy }: Narrowed): Record<string, string> {
  const join = groupBy.startsWith(JOIN) ? { join: groupBy.slice(JOIN.length) } : {};
  return { find, where, ...(step === undefined ? {} : { step: String(step) }), ...join };
}

/** What asks for a page of them, sorted and grouped. */
export function pageQuery(narrowed: Narrowed, sort: string): Record<string, string> {
  const query = narrowedQuery(narrowed);
  if (query.join) return { ...query, sort };
  const { groupBy } = narrowed;
  return { ...query, sort, ...(groupBy === RUN ? { by_run: "1" } : { group: groupBy }) };
}
