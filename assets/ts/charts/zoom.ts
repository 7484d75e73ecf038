import { type Scale, toValue } from "./scale";

export type Range = readonly [from: number, to: number];

/** The part of a plot that is on show; null is all there is. */
export interface Zoom {
  x: Range | null;
  y: Range | null;
  /** Whether `x` ended at the newest point, and goes along with it. */
  follows?: boolean;
}

export const WHOLE: Zoom = { x: null, y: null };

/**
 * The range that lies along a scale once what was at one pixel is at another.
 *
 * @param factor - So many pixels of before are one now: below 1 it is larger.
 */
export function movedRange(scale: Scale, before: number, now: number, factor = 1): Range {
  const at = (pixel: number) => toValue(scale, before + (pixel - now) * factor);
  return rising(at(scale.from), at(scale.to));
}

/** What lies between two pixels of a scale. */
export function rangeBetween(scale: Scale, one: number, other: number): Range {
  const [low, high] = [Math.min(scale.from, scale.to), Math.max(scale.from, scale.to)];
  const inside = (pixel: number) => toValue(scale, Math.max(low, Math.min(high, pixel)));
  return rising(inside(one), inside(other));
}

function rising(one: number, other: number): Range {
  return [Math.min(one, other), Math.max(one, other)];
}
