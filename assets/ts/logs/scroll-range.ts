/** Height of a line that is not wrapped, pixels; --log-line in assets/css/logs.css. */
export const LINE_PX = 20;
/** Browsers stop at about 16 to 33 million pixels; longer logs scroll in scaled steps. */
const TALLEST_PX = 8_000_000;

/** Where lines are in a box that scrolls over `count` of them and is `boxHeight` pixels high. */
export class ScrollRange {
  constructor(
    private readonly count: number,
    private readonly boxHeight: number,
  ) {}

  /** How many lines are in view. */
  get perPage(): number {
    return Math.max(1, this.boxHeight / LINE_PX);
  }

  /** The first position in view at the end of the log. */
  get lastTop(): number {
    return Math.max(0, this.count - this.perPage + 1);
  }

  /** Of all lines together, pixels. */
  get height(): number {
    return Math.min(TALLEST_PX, Math.max(this.boxHeight, (this.count + 1) * LINE_PX));
  }

  /** The first position in view for a scroll offset in pixels. */
  topAt(scrolled: number): number {
    const range = this.height - this.boxHeight;
    return range <= 0 ? 0 : (Math.min(range, scrolled) / range) * this.lastTop;
  }

  /** How far to scroll, pixels, so that a position is the first in view. */
  scrolledTo(position: number): number {
    return this.lastTop ? (position / this.lastTop) * (this.height - this.boxHeight) : 0;
  }
}
