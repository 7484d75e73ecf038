/** Rows of a table that have the same value in one column. */
export interface Group<R> {
  value: unknown;
  rows: R[];
  /** One for each column. */
  columns: Summary[];
}

/** What the rows of a group have in a column: their mean where numbers are, else how many values differ. */
export type Summary =
  | { kind: "numbers"; mean: number; low: number; high: number }
  | { kind: "same"; value: unknown }
  | { kind: "mixed"; count: number }
  | { kind: "none" };

/** Put rows into groups, in the order in which their values first come. */
export function groupsOf<R>(
  rows: readonly R[],
  keyOf: (row: R) => unknown,
  cellsOf: (row: R) => readonly unknown[],
  width: number,
): Group<R>[] {
  const found = new Map<string, Group<R>>();
  for (const row of rows) {
    const value = keyOf(row) ?? null;
    const name = JSON.stringify(value);
    const group = found.get(name) ?? { value, rows: [], columns: [] };
    group.rows.push(row);
    found.set(name, group);
  }
  for (const group of found.values()) {
    for (let column = 0; column < width; column += 1) {
      group.columns.push(summaryOf(group.rows.map((row) => cellsOf(row)[column])));
    }
  }
  return [...found.values()];
}

function summaryOf(cells: readonly unknown[]): Summary {
  const there = cells.filter((cell) => cell !== undefined && cell !== null);
  if (!there.length) return { kind: "none" };
  const numbers = there.filter((cell): cell is number => typeof cell === "number" && Number.isFinite(cell));
  if (numbers.length && there.every((cell) => typeof cell === "number")) {
    let [sum, low, high] = [0, Infinity, -Infinity];
    for (const number of numbers) {
      sum += number;
      if (number < low) low = number;
      if (number > high) high = number;
    }
    return { kind: "numbers", mean: sum / numbers.length, low, high };
  }
  const values = new Set(there.map((cell) => JSON.stringify(cell)));
  return values.size === 1 ? { kind: "same", value: there[0] } : { kind: "mixed", count: values.size };
}

/** What a group is sorted by in a column. */
export function sortValue(summary: Summary | undefined): unknown {
  if (summary?.kind === "numbers") return summary.mean;
  return summary?.kind === "same" ? summary.value : undefined;
}
