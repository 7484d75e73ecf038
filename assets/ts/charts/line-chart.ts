import { type DrawnLine, type Frame, frameOf } from "./frame";
import { columnsOf, type Hit, rowsOf } from "./line-tip";
import { drawPlot } from "./plot";
import { drawOverlay } from "./plot-overlay";
import { PointedChart } from "./pointed-chart";
import { placeText, toPixel } from "./scale";
import type { Surface } from "./surface";
import { hideTip, showTip } from "./tip";

/** Lines over x. */
export class LineChart extends PointedChart {
  /** The line nearest to the pointer. */
  private strong = "";

  protected frameFor(width: number, height: number): Frame {
    return frameOf(this.lines, this.look, width, height);
  }

  protected paint(ctx: Surface, frame: Frame): void {
    drawPlot(ctx, this.lines, this.look, frame);
  }

  protected paintAbove(ctx: CanvasRenderingContext2D, frame: Frame, x: number | null): void {
    const { lines, pointer, marked } = this;
    const strong = lines.filter((line) => (pointer ? line.id === this.strong : this.isLifted(line)));
    const places = x === null ? [] : lines.map((line) => this.pointOn(line, x));
    drawOverlay(ctx, lines, frame, { x, places, strong, marked });
  }

  protected showValues(frame: Frame, pointer: { left: number; top: number }): void {
    const { look } = this;
    const x = this.placeAt(pointer.left);
    const hits = this.hitsAt(frame, x, pointer.top);
    const strong = hits.find(({ line }) => line.id === this.strong);
    if (!strong) {
      hideTip();
      return;
    }
    const place = placeText(look.axis, strong.line.x[strong.at] as number);
    showTip(`${this.actions.axisName()} ${place}`.trim(), rowsOf(hits, this.strong, look.unit), {
      ...this.tipPlace(pointer),
      columns: columnsOf(hits.map(({ line }) => line)),
    });
  }

  protected nextLine(frame: Frame, isUp: boolean, left: number, top: number): number | null {
    const hits = this.hitsAt(frame, this.placeAt(left), top);
    const tops = hits.map(({ value }) => toPixel(frame.y, value)).filter(Number.isFinite);
    const further = tops.filter((other) => (isUp ? other < top - 0.5 : other > top + 0.5));
    if (!further.length) return null;
    return isUp ? Math.max(...further) : Math.min(...further);
  }

  private isLifted({ id, owner }: DrawnLine): boolean {
    return this.lifted !== null && (id === this.lifted || owner === this.lifted);
  }

  /** Points of all lines at x; remembers the line nearest to the pointer. */
  private hitsAt(frame: Frame, x: number, top: number): Hit[] {
    const hits: Hit[] = [];
    let best = Infinity;
    this.strong = "";
    for (const line of this.lines) {
      const at = this.pointOn(line, x);
      if (at < 0) continue;
      const value = line.y[at] as number;
      hits.push({ line, at, value });
      const pixel = toPixel(frame.y, value);
      const away = Number.isFinite(pixel) ? Math.abs(pixel - top) : Number.MAX_VALUE;
      if (away < best) [best, this.strong] = [away, line.id];
    }
    return hits;
  }
}
