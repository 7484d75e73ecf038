/** Between the pointer and the tip, pixels. */
const GAP = 16;
const FINGER = 40;
const EDGE = 8;

interface Size {
  width: number;
  height: number;
}

/** Where a pointer is in the window. */
export interface Pointer {
  left: number;
  top: number;
  /** A finger covers what is around it. */
  isTouch?: boolean;
}

/** How wide a tip may be in a window of this width. */
export function widestTip(windowWidth: number): number {
  return windowWidth - 2 * EDGE;
}

/** Beside the pointer where there is room at one of its sides, else above or below it: never over it. */
export function besidePointer(
  { left, top, isTouch }: Pointer,
  { width, height }: Size,
  page: Size,
): [left: number, top: number] {
  const middle = Math.max(EDGE, Math.min(top - height / 2, page.height - height - EDGE));
  if (!isTouch && left + GAP + width <= page.width - EDGE / 2) return [left + GAP, middle];
  if (!isTouch && left - GAP - width >= EDGE / 2) return [left - GAP - width, middle];
  const gap = isTouch ? FINGER : GAP;
  const centered = Math.max(EDGE, Math.min(left - width / 2, page.width - width - EDGE));
  const isAbove = top - gap - height >= EDGE || top > page.height / 2;
  return [centered, isAbove ? Math.max(EDGE, top - gap - height) : top + gap];
}

/** As many rows as a tip shows, those around the one that stands out. */
export function rowsAround<T extends { strong: boolean }>(rows: readonly T[], most: number): T[] {
  const strong = rows.findIndex((row) => row.strong);
  const first = Math.max(0, Math.min(strong - Math.floor(most / 2), rows.length - most));
  return rows.slice(first, first + most);
}
