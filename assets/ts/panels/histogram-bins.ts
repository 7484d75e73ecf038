import { type Scale, type Tick, ticksOf } from "../charts/scale";

/** Of all values of a histogram, which part is in each bin: 0 to 1. */
export function sharesOf(counts: readonly number[]): number[] {
  const all = counts.reduce((sum, count) => sum + count, 0) || 1;
  return counts.map((count) => count / all);
}

/** Ticks at round percentages of shares. */
export function percentTicks(y: Scale): Tick[] {
  const ticks = ticksOf({ ...y, min: y.min * 100, max: y.max * 100 }, "number", 34);
  return ticks.map(({ value, text }) => ({ value: value / 100, text: `${text}%` }));
}

/** Where the column of each step ends: where the next begins; the last is as wide as the one before. */
export function endsOf(steps: readonly number[]): number[] {
  const last = steps.at(-1) ?? 0;
  const width = steps.length > 1 ? last - (steps.at(-2) ?? 0) : 1;
  return [...steps.slice(1), last + width];
}
