/** Which lines are shown: all of them, or those of one process that wrote. Positions count shown lines. */
export class Rows {
  private readonly starts: number[] = [];
  private readonly count: number;

  /** @param ranges - (first line, lines), rising; null shows all. */
  constructor(private readonly ranges: [number, number][] | null = null) {
    let count = 0;
    for (const [, lines] of ranges ?? []) {
      this.starts.push(count);
      count += lines;
    }
    this.count = count;
  }

  /** How many rows there are when the log has `total` lines. */
  size(total: number): number {
    return this.ranges ? Math.min(this.count, total) : total;
  }

  /** The line at a position. */
  lineAt(position: number): number {
    if (!this.ranges) return position;
    const at = lastAtMost(this.starts, position);
    return (this.ranges[at]?.[0] ?? 0) + position - (this.starts[at] ?? 0);
  }

  /** The position of a line, or of the next shown one. */
  positionOf(line: number): number {
    if (!this.ranges) return line;
    const at = lastAtMost(
      this.ranges.map(([first]) => first),
      line,
    );
    const [first, lines] = this.ranges[at] ?? [0, 0];
    return (this.starts[at] ?? 0) + Math.max(0, Math.min(line - first, lines));
  }

  has(line: number): boolean {
    return !this.ranges || this.ranges.some(([first, lines]) => line >= first && line < first + lines);
  }
}

/** The index of the last of rising numbers that is at most `wanted`; 0 when none is. */
export function lastAtMost(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
