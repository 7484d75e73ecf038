import { COLORS, type Color, LOOKS } from "../charts/palette";
import { entryOf } from "../lib/record";
import type { RunInfo } from "../panels/runs";

/** Colors that a person picked, by run or by the path of a group. */
export type Picked = Readonly<Record<string, Color>>;

/**
 * Which color each run has: one that somebody picked; else what a column says; else its own, or the next free one
 * where another drawn run has that.
 */
export class RunColors {
  /** Colors of runs drawn: who has one keeps it while others come and go. */
  private readonly given = new Map<string, Color>();
  /** What a column says of each run; undefined while runs are colored one by one. */
  byColumn: ReadonlyMap<string, Color> | undefined;

  constructor(private readonly picked: () => Picked | undefined) {}

  of(uid: string, own: Color): Color {
    return entryOf(this.picked(), uid) ?? this.byColumn?.get(uid) ?? this.given.get(uid) ?? own;
  }

  /** Give each of the runs drawn a color that no other has; `color` of each is its own one. */
  settle(drawn: readonly RunInfo[]): void {
    const others = drawn.filter(({ uid }) => entryOf(this.picked(), uid) === undefined);
    const taken = new Set(Object.values(this.picked() ?? {}));
    const fresh = others.filter(({ uid }) => {
      const kept = this.given.get(uid);
      if (kept === undefined || taken.has(kept)) return true;
      taken.add(kept);
      return false;
    });
    // The list has the newest first; older ones keep their colors when a page is opened anew.
    for (const { uid, color } of fresh.reverse()) {
      const free = freeColor(Number(color), taken);
      taken.add(free);
      this.given.set(uid, free);
    }
  }
}

/** The next color from `own` on that is not taken, solid ones first; `own` where all are. */
function freeColor(own: number, taken: ReadonlySet<Color>): number {
  for (let from = 0; from < LOOKS; from += COLORS) {
    for (let step = 0; step < COLORS; step += 1) {
      const color = from + ((own + step) % COLORS);
      if (!taken.has(color)) return color;
    }
  }
  return own;
}

/** The colors after one was picked for a run or group; undefined for its own color again. */
export function withPicked(picked: Picked, key: string, color: Color | undefined): Record<string, Color> {
  const { [key]: _old, ...others } = picked;
  return color === undefined ? others : { ...others, [key]: color };
}
