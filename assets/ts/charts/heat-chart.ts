import type { Frame } from "./frame";
import { drawHeat, heatFrameOf } from "./heat";
import { pointOn } from "./hits";
import { type Hit, rowsOf, statistics } from "./line-tip";
import { drawCursor, drawMarked, outline } from "./plot-overlay";
import { PointedChart } from "./pointed-chart";
import { placeText, toPixel, toValue } from "./scale";
import type { Surface } from "./surface";
import { hideTip, showTip } from "./tip";
import type { Zoom } from "./zoom";

/** Many lines as rows of cells, which are deeper where values are larger. */
export class HeatChart extends PointedChart {
  override zoomTo({ x, follows }: Zoom): void {
    super.zoomTo({ x, y: null, ...(follows === undefined ? {} : { follows }) });
  }

  protected frameFor(width: number, height: number): Frame {
    return heatFrameOf(this.lines, this.look, width, height);
  }

  protected paint(ctx: Surface, frame: Frame): void {
    drawHeat(ctx, this.lines, this.look, frame);
  }

  protected paintAbove(ctx: CanvasRenderingContext2D, frame: Frame, x: number | null): void {
    const { pointer, marked, lifted } = this;
    if (x !== null) drawCursor(ctx, frame, x);
    for (const [row, { id }] of this.lines.entries()) {
      if (pointer ? row !== this.rowAt(frame, pointer.top) : id !== lifted) continue;
      const [top, bottom] = [toPixel(frame.y, row), toPixel(frame.y, row + 1)];
      outline(ctx, frame, Math.round(top), Math.round(bottom));
    }
    if (marked?.along === "x") drawMarked(ctx, frame, marked);
  }

  protected showValues(frame: Frame, pointer: { left: number; top: number }): void {
    const { look, lines } = this;
    const x = this.placeAt(pointer.left);
    const hits = lines
      .map((line) => ({ line, at: pointOn(line, x, frame.x) }))
      .filter(({ at }) => at >= 0)
      .map(({ line, at }): Hit => ({ line, at, value: line.y[at] as number }));
    const pointed = lines[this.rowAt(frame, pointer.top)]?.id ?? "";
    if (!hits.length) {
      hideTip();
      return;
    }
    const place = placeText(look.axis, x);
    const rows = hits.flatMap((hit) => rowsOf([hit], pointed, look.unit));
    showTip(`${this.actions.axisName()} ${place}`.trim(), rows, {
      ...this.tipPlace(pointer),
      note: statistics(hits, look.unit),
    });
  }

  protected nextLine(frame: Frame, isUp: boolean, _left: number, top: number): number | null {
    const row = this.rowAt(frame, top) + (isUp ? -1 : 1);
    return row < 0 || row >= this.lines.length ? null : toPixel(frame.y, row + 0.5);
  }

  private rowAt(frame: Frame, top: number): number {
    return Math.max(0, Math.min(this.lines.length - 1, Math.floor(toValue(frame.y, top))));
  }
}
