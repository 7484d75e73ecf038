import { toNumber, type WireSeries } from "./wire";

/** Exact points appended to a series before it is worth reading it in buckets again. */
const REREAD_AFTER = 3000;

/** One key's points in memory; non-finite values are kept as they are. */
export class Series {
  step: number[] = [];
  runtime: number[] = [];
  timestamp: number[] = [];
  mean: number[] = [];
  min: number[] = [];
  max: number[] = [];
  last: number[] = [];
  count: number[] = [];
  private appended = 0;

  /** @param nextRow - The first row not held here. */
  constructor(
    wire: WireSeries | undefined,
    public nextRow: number,
  ) {
    if (wire) this.push(wire);
  }

  /** Add exact points that follow what is held. */
  append(wire: WireSeries | undefined, nextRow: number): void {
    this.nextRow = nextRow;
    if (!wire) return;
    this.appended += wire.x.length;
    this.push(wire);
  }

  get length(): number {
    return this.step.length;
  }

  /** Whether so many points were appended that buckets should be asked for again. */
  get isHeavy(): boolean {
    return this.appended > REREAD_AFTER;
  }

  private push(wire: WireSeries): void {
    for (let i = 0; i < wire.x.length; i += 1) {
      this.step.push(toNumber(wire.x[i]));
      this.runtime.push(toNumber(wire.runtime[i]));
      this.timestamp.push(toNumber(wire.timestamp[i]));
      this.mean.push(toNumber(wire.mean[i]));
      this.min.push(toNumber(wire.min[i]));
      this.max.push(toNumber(wire.max[i]));
      this.last.push(toNumber(wire.last[i]));
      this.count.push(wire.count[i] ?? 1);
    }
  }
}
