import type { Frame } from "./frame";
import { movedRange, type Zoom } from "./zoom";

/** How many pixels of before are one, after a key that zooms in. */
const FACTOR = 0.5;
const STEP = 8;
const LONG_STEP = 40;

type Key = Pick<KeyboardEvent, "key" | "shiftKey">;

/** Returns the part on show after a key: + and - zoom x around `at`, with Shift y; brackets and page keys go along x. */
export function zoomByKey(event: Key, frame: Frame, zoom: Zoom, at: number): Zoom | null {
  const { key, shiftKey } = event;
  const factor = { "+": FACTOR, "=": FACTOR, "*": FACTOR, "-": 1 / FACTOR, _: 1 / FACTOR }[key];
  const middle = (frame.top + frame.bottom) / 2;
  if (factor && shiftKey) return { ...zoom, y: movedRange(frame.y, middle, middle, factor) };
  if (factor) return { ...zoom, x: movedRange(frame.x, at, at, factor) };
  const part = { "[": -1, PageUp: -1, "]": 1, PageDown: 1 }[key];
  if (part) return { ...zoom, x: movedRange(frame.x, (part * (frame.right - frame.left)) / 2, 0) };
  return key === "0" ? { x: null, y: null } : null;
}

/** Where the cursor is after a key that moves it along x; null where the key does not. */
export function cursorByKey({ key, shiftKey }: Key, frame: Frame, at: number): number | null {
  if (key === "Home") return frame.left;
  if (key === "End") return frame.right;
  const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!way) return null;
  return Math.max(frame.left, Math.min(frame.right, at + way * (shiftKey ? LONG_STEP : STEP)));
}
