/** How names that are too long for their column are cut (RUN-24). */
export type Crop = "middle" | "start" | "end";

/** Which columns are shown, where and how wide; kept in saved views (RUN-21). */
export interface Layout {
  /** Shown after the name, in view while scrolling sideways. */
  pinned: string[];
  /** Hidden by hand, so that no default shows them again. */
  hidden: string[];
  /** All that are shown, pinned ones first; empty: the server chooses. */
  order: string[];
  /** Pixels, of columns that were resized. */
  widths: Record<string, number>;
  /** Numeric columns that draw a bar behind each value. */
  bars: string[];
}

/** What a saved view keeps of the table. */
export interface TableState {
  /** Typed expression (RUN-22). */
  filter: string;
  /** Part of a name. */
  search: string;
  /** `-summary.loss,+created` */
  order: string;
  group: string[];
  columns: Layout;
  crop: Crop;
}

/** What the server says with every table it draws. */
export interface TableReply {
  state: TableState;
  /** Columns in the order shown, the name left out. */
  shown: string[];
  total: number;
  all: number;
  tree: Tree | null;
  error: { message: string; position: number | null } | null;
}

/** A condition as the server reads it from an expression. */
export type Tree = { all: Tree[] } | { any: Tree[] } | { not: Tree } | Leaf;

/** One column against one value; `is null` has none. */
export interface Leaf {
  column: string;
  operator: string;
  value: Value | Value[];
}

export type Value = string | number | boolean | null;

export const DEFAULT_ORDER = "-created";
export const NO_LAYOUT: Layout = { pinned: [], hidden: [], order: [], widths: {}, bars: [] };

/** The part of the state that a link carries, without what is as by default. */
export function linkQuery(state: TableState): URLSearchParams {
  const query = new URLSearchParams();
  if (state.filter) query.set("filter", state.filter);
  if (state.search) query.set("search", state.search);
  if (state.order && state.order !== DEFAULT_ORDER) query.set("order", state.order);
  for (const column of state.group) query.append("group", column);
  return query;
}

export interface OrderPart {
  column: string;
  falling: boolean;
}

/** The part of an order that puts running runs above all others; it stands first. */
const RUNNING_FIRST = "-running";

/** Whether running runs come before all others. */
export function isRunningFirst(order: string): boolean {
  return order.split(",").includes(RUNNING_FIRST);
}

/** The same order with running runs first, or without. */
export function withRunningFirst(order: string, isFirst: boolean): string {
  const rest = writeOrder(readOrder(order)) || DEFAULT_ORDER;
  return isFirst ? `${RUNNING_FIRST},${rest}` : rest;
}

/** The columns of an order, the first one first. */
export function readOrder(order: string): OrderPart[] {
  return order
    .split(",")
    .filter((part) => part && part !== RUNNING_FIRST)
    .map((part) => ({ column: part.replace(/^[+-]/, ""), falling: part.startsWith("-") }));
}

/** The opposite of `readOrder`. */
export function writeOrder(parts: OrderPart[]): string {
  return parts.map(({ column, falling }) => `${falling ? "-" : "+"}${column}`).join(",");
}

/**
 * The order after a click on the head of a column: first it is sorted one way, then the other, then as by default.
 *
 * @param also - Sort by it after what is sorted already.
 * @param fallsFirst - Whether it falls after the first click: the best on top, else numbers and times falling.
 */
export function orderAfterClick(
  parts: readonly OrderPart[],
  column: string,
  also: boolean,
  fallsFirst: boolean,
): OrderPart[] {
  const now = parts.find((part) => part.column === column);
  const isBack = now !== undefined && now.falling !== fallsFirst;
  const next = isBack ? [] : [{ column, falling: now ? !now.falling : fallsFirst }];
  if (!also) return next;
  if (now && !isBack) return parts.map((part) => (part === now ? (next[0] ?? part) : part));
  return [...parts.filter((part) => part.column !== column), ...next];
}
