import type { Layout } from "./state";

/** Columns that are shown, and what is kept of where they stand. */
export interface Shown {
  shown: readonly string[];
  columns: Layout;
}

type Change = Partial<Layout>;

/** Take columns away; no default shows them again. */
export function withoutColumns({ shown, columns }: Shown, names: readonly string[]): Change {
  const { pinned, hidden } = columns;
  return {
    order: shown.filter((name) => !names.includes(name)),
    pinned: pinned.filter((name) => !names.includes(name)),
    hidden: [...new Set([...hidden, ...names])],
  };
}

/** Show columns after those that are shown. */
export function withColumns({ shown, columns }: Shown, names: readonly string[]): Change {
  const added = names.filter((name) => !shown.includes(name));
  const hidden = columns.hidden.filter((name) => !names.includes(name));
  return { order: [...shown, ...added], hidden };
}

/** Keep a column beside the name, or let it go. */
export function withPin({ shown, columns }: Shown, column: string, isPinned: boolean): Change {
  const others = columns.pinned.filter((name) => name !== column);
  const pins = isPinned ? [...others, column] : others;
  const rest = shown.filter((name) => !pins.includes(name));
  return { pinned: pins, order: [...pins, ...rest] };
}

/** Move a column to where `before` is ("" for the end); among pinned ones it is pinned. */
export function movedBefore({ shown, columns }: Shown, column: string, before: string): Change {
  const rest = shown.filter((name) => name !== column);
  const index = before ? rest.indexOf(before) : rest.length;
  const order = [...rest.slice(0, index), column, ...rest.slice(index)];
  const pins = new Set(columns.pinned);
  const place = order.indexOf(column);
  const after = order[place + 1];
  if (after !== undefined && pins.has(after)) pins.add(column);
  else if (place > 0 && !pins.has(order[place - 1] ?? "")) pins.delete(column);
  return { order, pinned: order.filter((name) => pins.has(name)) };
}

/** Move a shown column by one place, within the pinned ones or within the others; null where it can't go on. */
export function movedBy(
  { shown, columns: { pinned } }: Shown,
  column: string,
  by: number,
): { change: Change; place: number; count: number } | null {
  const order = [...shown];
  const from = order.indexOf(column);
  const other = order[from + by];
  if (other === undefined || pinned.includes(column) !== pinned.includes(other)) return null;
  order.splice(from, 1);
  order.splice(from + by, 0, column);
  const change = { order, pinned: order.filter((name) => pinned.includes(name)) };
  return { change, place: from + by + 1, count: order.length };
}
