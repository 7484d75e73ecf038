import { type DrawnLine, type Frame, nearest } from "./frame";
import type { Hit } from "./line-tip";
import { type Scale, toPixel } from "./scale";

/** Beyond the end of a line its last point is still told so far away, pixels. */
const REACH = 24;

/** The point of a line under the cursor; -1 where the line does not reach. */
export function pointOn({ x }: Pick<DrawnLine, "x">, at: number, scale: Scale): number {
  const [first, last] = [x[0], x[x.length - 1]];
  if (first === undefined || last === undefined) return -1;
  const point = nearest(x, at);
  const away = Math.abs(toPixel(scale, x[point] as number) - toPixel(scale, at));
  return (at < first || at > last) && away > REACH ? -1 : point;
}

/** The points of all lines at x, and the id of the line nearest to a pixel of y; "" without any line. */
export function hitsAt(
  lines: readonly DrawnLine[],
  frame: Frame,
  x: number,
  top: number,
): { hits: Hit[]; nearest: string } {
  const hits: Hit[] = [];
  let [best, id] = [Infinity, ""];
  for (const line of lines) {
    const at = pointOn(line, x, frame.x);
    if (at < 0) continue;
    const value = line.y[at] as number;
    hits.push({ line, at, value });
    const pixel = toPixel(frame.y, value);
    const away = Number.isFinite(pixel) ? Math.abs(pixel - top) : Number.MAX_VALUE;
    if (away < best) [best, id] = [away, line.id];
  }
  return { hits, nearest: id };
}

/** The pixel of the next value above or below a pixel; null where there is none. */
export function nextPixel(hits: readonly Hit[], y: Scale, isUp: boolean, top: number): number | null {
  const tops = hits.map(({ value }) => toPixel(y, value)).filter(Number.isFinite);
  const further = tops.filter((other) => (isUp ? other < top - 0.5 : other > top + 0.5));
  if (!further.length) return null;
  return isUp ? Math.max(...further) : Math.min(...further);
}
