import { entryOf } from "../lib/record";
import { type Smoothing, smoothed } from "./smooth";
import { lineIn, type SeriesReply, toColumn, type WireLine } from "./wire";

/** Exact points that follow the buckets before it is worth reading the line again. */
const REREAD_AFTER = 1500;

/** One key of one run in memory: columns of one length, x rising; grown in place by live points. */
export class Line {
  length = 0;
  x: Float64Array = new Float64Array(0);
  last: Float64Array = new Float64Array(0);
  low: Float64Array | null = null;
  high: Float64Array | null = null;
  /** Smoothed over all points, as many as were read with it: what was appended since has none. */
  smooth: Float64Array | null = null;
  private appended = 0;

  /** @param nextRow - The first row not held here. */
  constructor(public nextRow: number) {}

  /** Make a line from an answer; one without points when the run has none of this key. */
  static of(reply: SeriesReply, uid: string, key: string): Line {
    const line = new Line(entryOf(reply.next, uid) ?? 0);
    const wire = lineIn(reply, uid, key);
    if (!wire) return line;
    line.x = Float64Array.from(reply.x[wire.x] ?? []);
    line.last = toColumn(wire.last);
    line.low = wire.min ? toColumn(wire.min) : null;
    line.high = wire.max ? toColumn(wire.max) : null;
    line.smooth = wire.smooth ? toColumn(wire.smooth) : null;
    line.length = line.x.length;
    return line;
  }

  /**
   * Add points that follow what is held.
   * @returns false when x steps back, so that the line must be read again.
   */
  append(reply: SeriesReply, uid: string, wire: WireLine | undefined): boolean {
    this.nextRow = entryOf(reply.next, uid) ?? this.nextRow;
    const x = wire ? (reply.x[wire.x] ?? []) : [];
    if (!wire || x.length === 0) return true;
    if (this.length && (x[0] as number) < (this.x[this.length - 1] as number)) return false;
    const values = toColumn(wire.last);
    const total = this.length + x.length;
    this.x = grown(this.x, this.length, x, total);
    this.last = grown(this.last, this.length, values, total);
    if (this.low) this.low = grown(this.low, this.length, values, total);
    if (this.high) this.high = grown(this.high, this.length, values, total);
    this.length = total;
    this.appended += x.length;
    return true;
  }

  /** Whether so many points were appended that buckets should be asked for again. */
  get isHeavy(): boolean {
    return this.appended > REREAD_AFTER;
  }

  /** The columns, as long as the line is. */
  columns(): Columns {
    const cut = (column: Float64Array) => column.subarray(0, this.length);
    return {
      x: cut(this.x),
      last: cut(this.last),
      low: this.low && cut(this.low),
      high: this.high && cut(this.high),
      smooth: this.smooth,
    };
  }

  /** The columns with those points behind them that `later` has beyond; smoothing goes on from the last value. */
  continuedBy(later: Line, smoothing: Smoothing): Columns {
    const own = this.columns();
    const more = later.columns();
    const end = own.x[own.x.length - 1] ?? -Infinity;
    let from = more.x.length;
    while (from > 0 && (more.x[from - 1] as number) > end) from -= 1;
    const tail = more.last.subarray(from);
    const join = (a: Float64Array, b: Float64Array) => {
      const joined = new Float64Array(a.length + b.length);
      joined.set(a);
      joined.set(b, a.length);
      return joined;
    };
    return {
      x: join(own.x, more.x.subarray(from)),
      last: join(own.last, tail),
      low: own.low && join(own.low, more.low?.subarray(from) ?? tail),
      high: own.high && join(own.high, more.high?.subarray(from) ?? tail),
      smooth: own.smooth && join(own.smooth, goneOn(own.smooth, more.x.subarray(from), tail, smoothing)),
    };
  }
}

export interface Columns {
  x: Float64Array;
  last: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  smooth: Float64Array | null;
}

/** Smooth points that follow a smoothed line, until the server has smoothed them too. */
function goneOn(before: Float64Array, x: Float64Array, y: Float64Array, smoothing: Smoothing): Float64Array {
  let value = before.findLast(Number.isFinite);
  if (value === undefined || (smoothing.kind !== "ema" && smoothing.kind !== "time"))
    return smoothed(x, y, smoothing);
  return y.map((next) => {
    if (!Number.isFinite(next)) return next;
    value = smoothing.amount * (value as number) + (1 - smoothing.amount) * next;
    return value;
  });
}

/** Put `more` behind the first `length` values; room doubles, so that many appends stay cheap. */
function grown(column: Float64Array, length: number, more: ArrayLike<number>, total: number): Float64Array {
  const kept = column.length >= total ? column : new Float64Array(Math.max(64, total * 2));
  if (kept !== column) kept.set(column.subarray(0, length));
  kept.set(more, length);
  return kept;
}
