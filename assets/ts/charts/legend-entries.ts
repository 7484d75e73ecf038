import { type DrawnLine, nearest } from "./frame";

/** A line of a legend and the point whose value it shows. */
export interface Entry {
  line: DrawnLine;
  /** -1 where the line does not reach. */
  at: number;
  /** NaN where there is none. */
  value: number;
}

export interface Order {
  by: "value" | "name";
  isFalling: boolean;
}

/** The lines whose labels have a text in them, with their values at x, else their last ones, in order. */
export function entriesOf(
  lines: readonly DrawnLine[],
  x: number | null,
  searched: string,
  order: Order,
): Entry[] {
  const text = searched.trim().toLowerCase();
  const found = lines.filter(({ label }) => label.toLowerCase().includes(text));
  return found.map((line) => entryOf(line, x)).sort((a, b) => compared(a, b, order));
}

/** Lines without a value come last, whichever way values are sorted. */
function compared(a: Entry, b: Entry, { by, isFalling }: Order): number {
  const sign = isFalling ? -1 : 1;
  if (by === "name") return sign * a.line.label.localeCompare(b.line.label, undefined, { numeric: true });
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value));
  return sign * (a.value - b.value);
}

/** The point of a line at x, or its last one. */
function entryOf(line: DrawnLine, x: number | null): Entry {
  const at = placeAt(line, x);
  return { line, at, value: at < 0 ? Number.NaN : (line.y[at] as number) };
}

/** Where on a line x is; -1 where the line does not reach. */
function placeAt(line: DrawnLine, x: number | null): number {
  const last = line.x.length - 1;
  if (last < 0 || x === null) return last;
  const [first, end] = [line.x[0] as number, line.x[last] as number];
  const slack = (end - first) * 0.02;
  if (x < first - slack || x > end + slack) return -1;
  return nearest(line.x, x);
}
