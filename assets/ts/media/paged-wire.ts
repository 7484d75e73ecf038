import { formatCount } from "../lib/format";
import { entryOf } from "../lib/record";
import { plain } from "./cell-media";
import type { FilterColumn } from "./table-filters";

export interface Row {
  run: string;
  cells: unknown[];
}

export interface Group {
  text: string;
  is_empty: boolean;
  /** The run whose rows they are, where they are grouped by run. */
  run: string;
  count: number;
  /** By column: mean, least and greatest. */
  numbers: Record<string, [number, number, number]>;
}

/** What metrics/media/tables.py answers; the first of `columns` says whose a row is, and is not among its cells. */
export interface Reply {
  tables: { run: string; page: string; problem: string }[];
  columns: string[];
  rows: Row[];
  /** Of tables that are joined side by side: whose each column is, and its name in that table. */
  heads?: { run: string; name: string }[];
  groups?: Group[] | null;
  group?: string;
  total: number | null;
  /** At which some run logged a table, where several runs have one. */
  steps?: number[];
  next?: number | null;
  previous?: number | null;
  problem?: string;
}

/** Names a group. */
export function idOf(group: Group): string {
  return `${group.is_empty ? "empty" : "="} ${group.text}`;
}

/** The rows that are shown: those of groups, by their ids, that are open. */
export function rowsIn({ groups, rows }: Reply, open: ReadonlyMap<string, Row[]>): Row[] {
  return groups ? groups.flatMap((group) => open.get(idOf(group)) ?? []) : rows;
}

/** What the rows or groups that are shown tell of their columns. */
export function columnsOf(reply: Reply): FilterColumn[] {
  const { rows } = reply;
  return columnsShown(reply).map((name, at) => ({
    name,
    isNumber: isNumeric(reply, name, at),
    values: rows.map(({ cells }) => plain(cells[at])),
  }));
}

/** Whether a column is set as numbers are. */
export function isNumeric({ groups, rows }: Reply, column: string, at: number): boolean {
  if (groups) return groups.some(({ numbers }) => entryOf(numbers, column));
  const first = rows.find(({ cells }) => cells[at] !== null)?.cells[at];
  return typeof first === "number";
}

/** The columns that rows have cells of: all but the one that says whose a row is. */
export function columnsShown({ columns, heads }: Reply): string[] {
  return heads ? columns : columns.slice(1);
}

/** By what rows can be grouped, or tables joined: what the columns are called in the tables themselves. */
export function plainColumns(reply: Reply): string[] {
  return reply.heads ? [...new Set(reply.heads.map(({ name }) => name))] : columnsShown(reply);
}

/** Sorts groups by how many rows they have, the largest first. */
const BY_COUNT = "-";

/** How a head shows what rows are sorted by, and what a click on it sorts by. */
export interface HeadSort {
  order: "ascending" | "descending" | null;
  next: string;
}

/** A head sorts by its column, by the number of rows where it has no name; rising first, then falling. */
export function sortOf(sort: string, column: string): HeadSort {
  const isFalling = sort === `-${column}`;
  const isSorted = isFalling || (column !== "" && sort === column);
  const order = isSorted ? (isFalling ? "descending" : "ascending") : null;
  if (column === "") return { order, next: isFalling ? "" : BY_COUNT };
  return { order, next: order === "ascending" ? `-${column}` : column };
}

/** Which rows or groups of how many are shown; without how many, where that is not known. */
export function rangeText({ groups, rows, total }: Reply, offset: number): string {
  const shown = groups?.length ?? rows.length;
  const range = shown ? `${formatCount(offset + 1)}–${formatCount(offset + shown)}` : "0";
  return total === null ? range : `${range} / ${formatCount(total)}`;
}
