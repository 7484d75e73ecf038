import { formatCount } from "../lib/format";
import { word } from "../lib/words";

/** Say how many runs something is of: `1 run`, `3 runs`, or `20 of 300 runs` where it is not of all. */
export function runCount(n: number, all: number): string {
  if (n < all) return word("runsOf", { n: formatCount(n), of: formatCount(all) });
  return n === 1 ? word("oneRun") : word("runsIn", { n: formatCount(n) });
}
