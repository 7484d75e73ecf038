import { pairOf, type Source } from "../charts/feed";
import type { Line } from "../charts/line";
import type { Smoothing } from "../charts/smooth";
import type { Range } from "../charts/zoom";
import type { Stage } from "./panel";

/** Zooms and changes of smoothing wait this long for the next, milliseconds. */
const ZOOM_PAUSE_MS = 60;
const SMOOTH_PAUSE_MS = 350;
/** While a run logs, finer lines are asked for anew at most this often, milliseconds. */
const AGAIN_MS = 10_000;

/** What is on show, and of which lines. */
export interface Wanted {
  source: Source;
  keys: string[];
  range: Range | null;
  /** The newest place on x, which is read, too, where the range goes along with it. */
  end: number;
  /** How lines are smoothed over all their points; null where that is left to the page. */
  smoothing: Smoothing | null;
}

/** Lines of one panel read again: finer within a part of x, or smoothed over all their points. */
export class FinerLines {
  private lines: Map<string, Line> | null = null;
  /** What the lines were last asked for. */
  private asked = "";
  private before: Wanted | undefined;
  private readAt = 0;
  private reading: AbortController | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly came: () => void,
  ) {}

  get(key: string, uid: string): Line | undefined {
    return this.lines?.get(pairOf(key, uid));
  }

  drop(): void {
    this.lines = null;
    this.asked = "";
    this.reading?.abort();
  }

  /** Ask for what is wanted now, unless it is here or on its way. */
  want(wanted: Wanted): void {
    const { source, keys, range, smoothing } = wanted;
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    const isBucketed = (uid: string) => keys.some((key) => this.stage.feed.get(source, key, uid)?.low);
    if (!range && !(smoothing && uids.some(isBucketed))) {
      if (this.asked) this.drop();
      return;
    }
    const asked = JSON.stringify([source, smoothing, range, uids, keys]);
    const isSettled = performance.now() - this.readAt > AGAIN_MS;
    if (asked === this.asked) {
      if (isSettled && this.hasGrown(wanted, uids)) this.read(wanted, uids, 0);
      return;
    }
    const before = this.before;
    this.before = wanted;
    this.asked = asked;
    const isSameRange = JSON.stringify(before?.range ?? null) === JSON.stringify(range);
    if (!isSameRange && !isInside(range, before?.range ?? null)) this.lines = null;
    if (JSON.stringify(before?.smoothing) !== JSON.stringify(smoothing))
      for (const line of this.lines?.values() ?? []) line.smooth = null;
    this.read(wanted, uids, isSameRange ? SMOOTH_PAUSE_MS : ZOOM_PAUSE_MS);
  }

  private hasGrown({ source, keys }: Wanted, uids: readonly string[]): boolean {
    return uids.some((uid) =>
      keys.some((key) => {
        const [held, finer] = [this.stage.feed.get(source, key, uid), this.get(key, uid)];
        return held !== undefined && finer !== undefined && held.nextRow > finer.nextRow;
      }),
    );
  }

  private read({ source, keys, range, end, smoothing }: Wanted, uids: string[], pauseMs: number): void {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    this.readAt = performance.now();
    setTimeout(() => {
      if (reading.signal.aborted || !uids.length) return;
      const part: [number, number] | null = range && [range[0], Math.max(range[1], end)];
      const how = { range: part, smoothing };
      this.stage.feed.fine(source, keys, uids, how, reading.signal).then(
        (lines) => {
          this.lines = lines;
          this.came();
        },
        () => undefined, // what was there stays on show
      );
    }, pauseMs);
  }
}

/** Whether lines that were read for a range have all that is in a part of it. */
function isInside(part: Range | null, whole: Range | null): boolean {
  return !whole || (part !== null && part[0] >= whole[0] && part[1] <= whole[1]);
}
