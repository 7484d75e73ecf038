import type { Range, Zoom } from "../charts/zoom";

/** A part that ends so near to the newest point, in parts of its width, goes along with it. */
const NEAR = 0.01;
/** So much of the width of a part has lines at least. */
const LEAST_INSIDE = 0.1;

/**
 * The zoom that is kept of what somebody asked for: all of x where the part has it all, never a part without lines,
 * and an open end where it has the newest point.
 */
export function settledZoom({ x, y }: Zoom, extent: Range | null): Zoom {
  if (!x || !extent) return { x, y };
  const [first, last] = extent;
  if (!(x[1] > x[0]) || !Number.isFinite(x[0]) || !Number.isFinite(x[1])) return { x: null, y };
  if (x[0] <= first && x[1] >= last) return { x: null, y };
  const least = (x[1] - x[0]) * LEAST_INSIDE;
  const by = x[0] > last - least ? last - least - x[0] : x[1] < first + least ? first + least - x[1] : 0;
  const to = x[1] + by;
  return { x: [x[0] + by, to], y, follows: to >= last - (to - x[0]) * NEAR };
}
