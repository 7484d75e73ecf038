import { make } from "../lib/dom";
import { sized } from "./canvas";
import { cursorByKey, zoomByKey } from "./chart-keys";
import { drawNever, drawSoon } from "./draws";
import type { DrawnLine, Frame, Look } from "./frame";
import { Gestures, type Marked } from "./gestures";
import type { Picture } from "./picture";
import { toValue } from "./scale";
import type { Surface } from "./surface";
import { hideTip, type TipPlace } from "./tip";
import { WHOLE, type Zoom } from "./zoom";

export interface ChartActions {
  /** Another part is to be shown. */
  zoom(zoom: Zoom): void;
  /** The cursor is at this x; null when it left. */
  pointed(x: number | null): void;
  /** Written before the place on x: "Step". */
  axisName(): string;
}

/** A chart of lines on two canvases: the plot, and above it what follows the pointer. */
export abstract class PointedChart {
  frame: Frame | undefined;
  zoom: Zoom = WHOLE;
  protected lines: DrawnLine[] = [];
  /** Where the pointer, or the cursor of the keyboard, is; pixels. */
  protected pointer: { left: number; top: number } | null = null;
  /** What a drag has chosen. */
  protected marked: Marked | null = null;
  /** What stands out: lines of an owner, or one by its id. */
  protected lifted: string | null = null;
  private readonly plot = make("canvas");
  private readonly above = make("canvas", "chart-above");
  private isTouch = false;
  /** Where another chart's cursor is. */
  private elsewhere: number | null = null;

  constructor(
    readonly box: HTMLElement,
    protected look: Look,
    protected readonly actions: ChartActions,
  ) {
    this.above.tabIndex = 0;
    this.above.setAttribute("role", "img");
    box.append(this.plot, this.above);
    this.above.addEventListener("pointerdown", ({ pointerType }) => {
      this.isTouch = pointerType === "touch";
    });
    new Gestures(this.above, this);
    this.above.addEventListener("keydown", (event) => this.key(event));
    this.above.addEventListener("blur", () => this.leave());
  }

  /** Draw these lines this way. */
  show(lines: DrawnLine[], look: Look, zoom: Zoom): void {
    this.lines = lines;
    this.look = look;
    this.zoom = zoom;
    const { clientWidth: width, clientHeight: height } = this.box;
    const ctx = width && height ? sized(this.plot, width, height) : null;
    if (!ctx) return;
    this.frame = this.frameFor(width, height);
    this.paint(ctx, this.frame);
    if (this.pointer) this.showValues(this.frame, this.pointer);
    this.drawAbove();
  }

  destroy(): void {
    drawNever(this);
    if (this.pointer) {
      hideTip();
      this.actions.pointed(null);
    }
    this.plot.remove();
    this.above.remove();
  }

  /** Say to screen readers what the picture shows. */
  describe(text: string): void {
    this.above.setAttribute("aria-label", text);
  }

  /** Show another chart's cursor here. */
  point(x: number | null): void {
    this.elsewhere = x;
    if (!this.pointer) this.redrawAbove();
  }

  /** Let the lines of an owner, or one line by its id, stand out; null lets all be alike again. */
  lift(name: string | null): void {
    if (name === this.lifted) return;
    this.lifted = name;
    this.redrawAbove();
  }

  /** The plot as it is, for a file. */
  picture(): Picture {
    const { clientWidth: width, clientHeight: height } = this.box;
    return {
      width,
      height,
      paint: (surface, top) => {
        const frame = this.frameFor(width, height);
        const y = { ...frame.y, from: frame.y.from + top, to: frame.y.to + top };
        this.paint(surface, { ...frame, y, top: frame.top + top, bottom: frame.bottom + top });
      },
    };
  }

  /** The pointer is here: show the cursor, and the values at it. */
  move(left: number, top: number): void {
    if (!this.frame) return;
    this.pointer = { left, top };
    this.showValues(this.frame, this.pointer);
    this.actions.pointed(this.placeAt(left));
    this.redrawAbove();
  }

  leave(): void {
    if (!this.pointer && !this.marked && this.elsewhere === null) return;
    this.marked = null;
    this.pointer = null;
    this.elsewhere = null;
    hideTip();
    this.redrawAbove();
    this.actions.pointed(null);
  }

  mark(marked: Marked | null): void {
    this.marked = marked;
    this.redrawAbove();
  }

  zoomTo(zoom: Zoom): void {
    this.actions.zoom(zoom);
  }

  protected abstract frameFor(width: number, height: number): Frame;
  protected abstract paint(ctx: Surface, frame: Frame): void;
  /** Draw what follows the pointer; x is where the cursor is. */
  protected abstract paintAbove(ctx: CanvasRenderingContext2D, frame: Frame, x: number | null): void;
  protected abstract showValues(frame: Frame, pointer: { left: number; top: number }): void;
  /** Where the next line above or below the pointer is; null where there is none. */
  protected abstract nextLine(frame: Frame, isUp: boolean, left: number, top: number): number | null;

  /** The place on x at a pixel of the plot, or of the nearest one in it. */
  protected placeAt(left: number): number {
    const { frame } = this;
    return frame ? toValue(frame.x, Math.max(frame.left, Math.min(frame.right, left))) : Number.NaN;
  }

  /** Where a tip stands for a pointer. */
  protected tipPlace({ left, top }: { left: number; top: number }): TipPlace {
    const box = this.box.getBoundingClientRect();
    return { left: box.left + left, top: box.top + top, isTouch: this.isTouch };
  }

  private redrawAbove(): void {
    drawSoon(this, this.box, () => this.drawAbove());
  }

  private drawAbove(): void {
    const ctx = sized(this.above, this.box.clientWidth, this.box.clientHeight);
    if (!ctx || !this.frame) return;
    this.paintAbove(ctx, this.frame, this.pointer ? this.placeAt(this.pointer.left) : this.elsewhere);
  }

  private key(event: KeyboardEvent): void {
    const { frame } = this;
    if (!frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const { left, top } = this.pointer ?? {
      left: (frame.left + frame.right) / 2,
      top: (frame.top + frame.bottom) / 2,
    };
    const next = cursorByKey(event, frame, left);
    const zoom = zoomByKey(event, frame, this.zoom, left);
    if (next !== null) this.move(next, top);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const other = this.nextLine(frame, event.key === "ArrowUp", left, top);
      if (other !== null) this.move(left, other);
    } else if (zoom) this.zoomTo(zoom);
    else if (event.key === "Escape" && this.pointer) this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page has other uses for some of them
  }
}
