/** Lines of two texts that belong together, as the server's `compare_lines` finds them. */
export interface Block {
  kind: "same" | "changed" | "added" | "removed";
  /** From and to, from 0 and without the end. */
  before: [number, number];
  after: [number, number];
}

export type Kind = Block["kind"] | "plain";

/** A row: a line of one text beside that of the other; null where the other has more. */
export interface Row {
  kind: Kind;
  before: number | null;
  after: number | null;
}

/** Equal lines that are shown before and after what differs. */
const AROUND = 3;
/** Fewer equal lines than this are not worth hiding. */
const FEWEST_HIDDEN = 4;

/** All rows of a block: as many as the longer side has lines. */
export function rowsOf({ kind, before, after }: { kind: Kind; before: number[]; after: number[] }): Row[] {
  const [[from = 0, to = 0], [start = 0, end = 0]] = [before, after];
  return Array.from({ length: Math.max(to - from, end - start) }, (_, at) => ({
    kind,
    before: from + at < to ? from + at : null,
    after: start + at < end ? start + at : null,
  }));
}

/** The rows of a block of equal lines: those at its begin, those that may be hidden, those at its end. */
export function folded(rows: Row[], isFirst: boolean, isLast: boolean): [Row[], Row[], Row[]] {
  const from = isFirst ? 0 : AROUND;
  const to = rows.length - (isLast ? 0 : AROUND);
  if (to - from < FEWEST_HIDDEN) return [rows, [], []];
  return [rows.slice(0, from), rows.slice(from, to), rows.slice(to)];
}
