/** The index `by` steps after `at` in a list, wrapping around; from -1, none, to the first or the last. */
export function placeAfter(at: number, by: number, count: number): number {
  if (at < 0) return by > 0 ? 0 : count - 1;
  return (at + by + count) % count;
}

/** The parts of a list from one place to another, both included, whichever is first. */
export function between<T>(list: readonly T[], one: number, other: number): T[] {
  return list.slice(Math.min(one, other), Math.max(one, other) + 1);
}
