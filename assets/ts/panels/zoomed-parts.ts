import { type Range, WHOLE, type Zoom } from "../charts/zoom";

/** So many parts of a range are told apart in the address. */
const FINENESS = 1e4;

/** The part of one axis that panels show. */
interface Part extends Zoom {
  axis: string;
}

/**
 * Which part of its lines each panel shows: of one panel its own, or of all panels on one axis together. It outlives
 * panels that leave the view, and the newest part stands in the address, so that a link shows the same.
 */
export class Zooms {
  private readonly own = new Map<string, Part>();
  private together: Part | null = null;
  /** Where each panel had its newest point when it first showed a part. */
  private readonly newest = new WeakMap<Range, Map<string, number>>();
  private readonly listeners = new Set<() => void>();

  /**
   * @param address - What stands in the address as the page begins; null where nothing does.
   * @param write - Called with what is to stand there.
   */
  constructor(
    address: string | null,
    private readonly write: (text: string | null) => void,
  ) {
    this.read(address);
  }

  /** What a panel shows of an axis. */
  of(panel: string, axis: string): Zoom {
    const own = this.own.get(panel);
    if (own?.axis === axis && own.x) return own;
    const y = own?.axis === axis ? own.y : null;
    return this.together?.axis === axis ? { ...this.together, y } : { ...WHOLE, y };
  }

  /** The same, where it lies now that the panel's newest point is this one. */
  followed(panel: string, axis: string, newest: number): Zoom {
    const zoom = this.of(panel, axis);
    if (!zoom.x || !zoom.follows || !Number.isFinite(newest)) return zoom;
    const seen = this.newest.get(zoom.x) ?? new Map<string, number>();
    this.newest.set(zoom.x, seen);
    if (!seen.has(panel)) seen.set(panel, newest);
    const by = newest - (seen.get(panel) as number);
    return by > 0 ? { ...zoom, x: [zoom.x[0] + by, zoom.x[1] + by] } : zoom;
  }

  /** Let a panel show another part; `together` lets all others on its axis show it, too. */
  set(panel: string, axis: string, { x, y, follows = false }: Zoom, together: boolean): void {
    const isReset = !x && this.together?.axis === axis && !this.own.get(panel)?.x;
    if (together || isReset) {
      this.together = x && { axis, x, y: null, follows };
      for (const part of this.own.values()) if (part.axis === axis) part.x = null;
      this.own.set(panel, { axis, x: null, y });
    } else this.own.set(panel, { axis, x, y, follows });
    const parts = x ? [axis, ...written(x), ...(together ? [] : [panel])] : null;
    this.write(parts?.map(encoded).join(":") ?? null);
    for (const listener of this.listeners) listener();
  }

  /** Hear of other parts; returns what ends it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private read(text: string | null): void {
    const [axis = "", from = "", to = "", panel] = (text ?? "").split(":").map(decoded);
    const x: Range = [Number(from), Number(to)];
    if (!from || !to || !(x[0] < x[1])) return;
    if (panel === undefined) this.together = { axis, x, y: null };
    else this.own.set(panel, { axis, x, y: null });
  }
}

/** What stands in the address for a range: as many digits as its width needs. */
function written([from, to]: Range): string[] {
  const digits = Math.max(0, Math.min(12, Math.ceil(Math.log10(FINENESS / (to - from)))));
  return [from, to].map((place) => String(Number(place.toFixed(digits))));
}

function encoded(part: string): string {
  return part.replace(/[%:]/g, encodeURIComponent);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
