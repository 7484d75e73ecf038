/** How far from the pointer a point may be, pixels. */
const POINT_REACH = 18;
const LINE_REACH = 10;

type Places = ArrayLike<number>;

/** The point next to a pixel; -1 where none is near. Places that are NaN are of no point. */
export function nearestPoint(x: Places, y: Places, left: number, top: number): number {
  let [best, least] = [-1, POINT_REACH];
  for (let at = 0; at < x.length; at += 1) {
    const away = Math.hypot((x[at] as number) - left, (y[at] as number) - top);
    if (away < least) [best, least] = [at, away];
  }
  return best;
}

/** An upright axis: where it stands, and the pixel of each line on it. */
export interface Upright {
  left: number;
  places: Places;
}

/** The line next to a pixel between two upright axes, of those kept; -1 where none is near. */
export function nearestLine(axes: readonly Upright[], kept: Places, left: number, top: number): number {
  const right = axes.findIndex((axis) => axis.left > left);
  const [a, b] = [axes[right - 1], axes[right]];
  if (!a || !b) return -1;
  const part = (left - a.left) / (b.left - a.left);
  let [best, least] = [-1, LINE_REACH];
  for (let at = 0; at < kept.length; at += 1) {
    const [from, to] = [a.places[at] as number, b.places[at] as number];
    const away = Math.abs(from + (to - from) * part - top);
    if (kept[at] && away < least) [best, least] = [at, away];
  }
  return best;
}
