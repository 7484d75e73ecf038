/** A range that somebody brushed on an axis: numbers in units of the column, or names of a column of text. */
export type Brush = { low: number; high: number } | { names: readonly string[] };

export type Brushes = ReadonlyMap<string, Brush>;

interface Part {
  brushes: Brushes;
  kept: ReadonlySet<string>;
}

/** Which runs the brushes of all panels leave. A panel that leaves the view, and is drawn anew, finds its own again. */
export class Narrowing {
  private readonly parts = new Map<string, Part>();
  /** Rises with every change. */
  version = 0;

  constructor(private readonly changed: () => void = () => undefined) {}

  /** Brushes of a panel by column. */
  brushesOf(panel: string): Brushes {
    return this.parts.get(panel)?.brushes ?? new Map();
  }

  /** Keep a panel's brushes and the ids of the runs they leave; without brushes the panel leaves all. */
  put(panel: string, brushes: Brushes, kept: ReadonlySet<string>): void {
    const before = this.parts.get(panel);
    if (!brushes.size) this.parts.delete(panel);
    else this.parts.set(panel, { brushes, kept });
    if (before || brushes.size) this.tell(!before || !brushes.size || !isSame(before.kept, kept));
  }

  /** Let go of all brushes, or of a panel's. */
  clear(panel?: string): void {
    const had = panel === undefined ? this.parts.size > 0 : this.parts.has(panel);
    if (panel === undefined) this.parts.clear();
    else this.parts.delete(panel);
    this.tell(had);
  }

  keeps(uid: string): boolean {
    for (const { kept } of this.parts.values()) if (!kept.has(uid)) return false;
    return true;
  }

  /** The runs that all brushes leave, in the order of the list; null while there is none. */
  get kept(): string[] | null {
    const [first, ...others] = [...this.parts.values()].map(({ kept }) => kept);
    if (!first) return null;
    return [...first].filter((uid) => others.every((kept) => kept.has(uid)));
  }

  private tell(isOther: boolean): void {
    if (!isOther) return;
    this.version += 1;
    this.changed();
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}
