import { type DrawnLine, type Frame, frameOf } from "./frame";
import { hitsAt, nextPixel, pointOn } from "./hits";
import { columnsOf, rowsOf } from "./line-tip";
import { drawPlot } from "./plot";
import { drawOverlay } from "./plot-overlay";
import { PointedChart } from "./pointed-chart";
import { placeText } from "./scale";
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
    const places = x === null ? [] : lines.map((line) => pointOn(line, x, frame.x));
    drawOverlay(ctx, lines, frame, { x, places, strong, marked });
  }

  protected showValues(frame: Frame, pointer: { left: number; top: number }): void {
    const { look } = this;
    const x = this.placeAt(pointer.left);
    const { hits, nearest } = hitsAt(this.lines, frame, x, pointer.top);
    this.strong = nearest;
    const strong = hits.find(({ line }) => line.id === nearest);
    if (!strong) {
      hideTip();
      return;
    }
    const place = placeText(look.axis, strong.line.x[strong.at] as number);
    showTip(`${this.actions.axisName()} ${place}`.trim(), rowsOf(hits, nearest, look.unit), {
      ...this.tipPlace(pointer),
      columns: columnsOf(hits.map(({ line }) => line)),
    });
  }

  protected nextLine(frame: Frame, isUp: boolean, left: number, top: number): number | null {
    const { hits, nearest } = hitsAt(this.lines, frame, this.placeAt(left), top);
    this.strong = nearest;
    return nextPixel(hits, frame.y, isUp, top);
  }

  private isLifted({ id, owner }: DrawnLine): boolean {
    return this.lifted !== null && (id === this.lifted || owner === this.lifted);
  }
}
