/** From so many times the smallest value on, places are taken by powers of ten. */
const WIDE = 100;
/** From so many values on, this part of them at either end is beyond the scale. */
const MANY = 20;
const OUTERMOST = 0.05;

/** The place of a value on the scale of a column: 0 at its low end, 1 at its high end, beyond them for the outermost. */
export function scaleOf(values: Float64Array): (value: number) => number {
  const { low, high } = endsOf(values);
  const along = low > 0 && high / low >= WIDE ? Math.log : (value: number) => value;
  const [from, to] = [along(low), along(high)];
  return (value) => (to > from ? (along(value) - from) / (to - from) : 0.5);
}

/** The ends of the scale: where many runs have values, the few outermost do not stretch it; low above high for none. */
export function endsOf(values: Float64Array): { low: number; high: number } {
  const sorted = values.filter(Number.isFinite).sort();
  const outside = sorted.length >= MANY ? Math.floor(sorted.length * OUTERMOST) : 0;
  return { low: sorted[outside] ?? 1, high: sorted[sorted.length - 1 - outside] ?? 0 };
}
