import type { DrawnLine, Frame, Look } from "./frame";
import { PLAIN } from "./frame";

/** A line for a test: its x are 0, 1, 2 … unless given. */
export function makeLine(y: readonly number[], given: Partial<DrawnLine> = {}): DrawnLine {
  return {
    ...{ id: "line", label: "line", owner: "run", color: "#000", dash: 0 },
    x: Float64Array.from(y, (_, at) => at),
    y: Float64Array.from(y),
    ...{ raw: null, low: null, high: null },
    ...given,
  };
}

/** A plot of 100 by 100 pixels whose axes go from 0 to 100; y rises. */
export const SQUARE: Frame = {
  x: { min: 0, max: 100, log: false, from: 0, to: 100 },
  y: { min: 0, max: 100, log: false, from: 100, to: 0 },
  ...{ left: 0, top: 0, right: 100, bottom: 100 },
};

export function makeLook(given: Partial<Look>): Look {
  return { ...PLAIN, ...given };
}

/** Fail unless two numbers are as near as rounding leaves them. */
export function isNear(found: number | undefined, wanted: number, off = 1e-9): void {
  const size = Math.max(1, Math.abs(wanted));
  if (found === undefined || !(Math.abs(found - wanted) <= off * size))
    throw new Error(`${found} is not near ${wanted}`);
}
