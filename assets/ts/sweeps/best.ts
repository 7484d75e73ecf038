/** The best finite value up to each run, in their order; NaN before the first. */
export function bestSoFar(values: ArrayLike<number>, isMaximized: boolean): Float64Array {
  const found = new Float64Array(values.length);
  let best = Number.NaN;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    const isBetter = isMaximized ? value > best : value < best;
    if (Number.isFinite(value) && (Number.isNaN(best) || isBetter)) best = value;
    found[at] = best;
  }
  return found;
}
