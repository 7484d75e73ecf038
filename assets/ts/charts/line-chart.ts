import { make } from "../lib/dom";
import { formatUnit } from "../lib/units";
import { bandText, countText } from "./band";
import { inkOf, palette } from "./palette";
import type { Picture } from "./picture";
import { type DrawnLine, drawLine, drawPlot, type Frame, frameOf, type Look, nearest } from "./plot";
import { placeText, toPixel, toValue } from "./scale";
import { hideTip, showTip, type TipRow } from "./tip";

/** Narrower drags are clicks, pixels. */
const SHORTEST_DRAG = 6;

/** Of so many lines the tip says all there is to a point, of more only for the one pointed at, and of groups. */
const FEW = 3;

export interface ChartActions {
  /** What a drag has chosen on x; null goes back to all of it. */
  zoom(range: [number, number] | null): void;
  /** The cursor is at this x; null when it left. */
  pointed(x: number | null): void;
  /** Written before the place on x: "Step". */
  axisName(): string;
}

/** A line chart on two canvases: the plot, and above it what follows the pointer. */
export class LineChart {
  private readonly plot = make("canvas");
  private readonly above = make("canvas", "chart-above");
  private lines: DrawnLine[] = [];
  private frame: Frame | undefined;
  /** Where the pointer, or the cursor of the keyboard, is; pixels. */
  private pointer: { left: number; top: number } | null = null;
  /** Where another chart's cursor is. */
  private elsewhere: number | null = null;
  /** Where on x a drag has begun. */
  private dragFrom: number | null = null;
  private strong = "";
  private drawing = 0;

  constructor(
    readonly box: HTMLElement,
    private look: Look,
    private readonly actions: ChartActions,
  ) {
    this.above.tabIndex = 0;
    this.above.setAttribute("role", "img");
    box.append(this.plot, this.above);
    this.listen();
  }

  /** Draw these lines this way, at the next frame. */
  show(lines: DrawnLine[], look: Look): void {
    this.lines = lines;
    this.look = look;
    this.redraw();
  }

  redraw(): void {
    if (!this.drawing) this.drawing = requestAnimationFrame(() => this.draw());
  }

  destroy(): void {
    cancelAnimationFrame(this.drawing);
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
    if (!this.pointer) this.drawAbove(x);
  }

  /** The plot as it is, for a file. */
  picture(): Picture {
    const { clientWidth: width, clientHeight: height } = this.box;
    return {
      width,
      height,
      paint: (surface, top) => {
        const frame = frameOf(this.lines, this.look, width, height);
        const y = { ...frame.y, from: frame.y.from + top, to: frame.y.to + top };
        const moved = { ...frame, y, top: frame.top + top, bottom: frame.bottom + top };
        drawPlot(surface, this.lines, this.look, moved);
      },
    };
  }

  private draw(): void {
    this.drawing = 0;
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    const ctx = sized(this.plot, width, height);
    if (!ctx) return;
    this.frame = frameOf(this.lines, this.look, width, height);
    drawPlot(ctx, this.lines, this.look, this.frame);
    if (this.pointer) this.move(this.pointer.left, this.pointer.top);
    else this.drawAbove(this.elsewhere);
  }

  private drawAbove(x: number | null): void {
    const { frame, pointer } = this;
    const ctx = sized(this.above, this.box.clientWidth, this.box.clientHeight);
    if (!ctx || !frame || x === null) return;
    const colors = palette();
    const strong = this.lines.find(({ id }) => id === this.strong);
    if (pointer && strong && this.lines.length > 1) {
      ctx.save();
      ctx.globalAlpha = 0.55; // the others step back
      ctx.fillStyle = colors.surface;
      ctx.fillRect(frame.left, frame.top - 4, frame.right - frame.left + 4, frame.bottom - frame.top + 4);
      ctx.globalAlpha = 1;
      ctx.beginPath();
      ctx.rect(frame.left - 3, frame.top - 4, frame.right - frame.left + 7, frame.bottom - frame.top + 7);
      ctx.clip();
      drawLine(ctx, strong, frame, 2.25);
      ctx.restore();
    }
    const left = toPixel(frame.x, x);
    if (left >= frame.left - 1 && left <= frame.right + 1) {
      ctx.strokeStyle = colors.cursor;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(Math.round(left) + 0.5, frame.top);
      ctx.lineTo(Math.round(left) + 0.5, frame.bottom);
      ctx.stroke();
    }
    for (const line of this.lines.length > 14 ? (strong && pointer ? [strong] : []) : this.lines) {
      const at = this.placeOn(line, x);
      const value = line.y[at] as number;
      if (at < 0 || !Number.isFinite(value) || (this.look.logY && value <= 0)) continue;
      ctx.fillStyle = inkOf(line.color);
      ctx.beginPath();
      ctx.arc(toPixel(frame.x, line.x[at] as number), toPixel(frame.y, value), 3.5, 0, 2 * Math.PI);
      ctx.fill();
    }
    if (this.dragFrom !== null && pointer) this.drawDrag(ctx, frame, toPixel(frame.x, this.dragFrom), left);
  }

  private drawDrag(ctx: CanvasRenderingContext2D, frame: Frame, from: number, left: number): void {
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = palette().text;
    ctx.fillRect(Math.min(from, left), frame.top, Math.abs(left - from), frame.bottom - frame.top);
    ctx.globalAlpha = 1;
  }

  /** The point of a line under the cursor; -1 where the line does not reach. */
  private placeOn(line: DrawnLine, x: number): number {
    const last = line.x[line.x.length - 1];
    const first = line.x[0];
    if (!this.frame || last === undefined || first === undefined) return -1;
    const at = nearest(line.x, x);
    const away = Math.abs(toPixel(this.frame.x, line.x[at] as number) - toPixel(this.frame.x, x));
    return (x < first || x > last) && away > 24 ? -1 : at;
  }

  private listen(): void {
    const { above } = this;
    above.addEventListener("pointermove", (event) => this.move(event.offsetX, event.offsetY));
    above.addEventListener("pointerleave", () => this.leave());
    above.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.frame || event.pointerType === "touch") return;
      this.dragFrom = toValue(this.frame.x, within(this.frame, event.offsetX));
      above.setPointerCapture(event.pointerId);
    });
    above.addEventListener("pointerup", (event) => this.drop(event.offsetX));
    above.addEventListener("pointercancel", () => {
      this.dragFrom = null;
    });
    above.addEventListener("dblclick", () => this.actions.zoom(null));
    above.addEventListener("keydown", (event) => this.key(event));
    above.addEventListener("blur", () => this.leave());
  }

  private move(left: number, top: number): void {
    if (!this.frame) return;
    this.pointer = { left, top };
    const x = toValue(this.frame.x, within(this.frame, left));
    const rows = this.rowsAt(x, top);
    this.drawAbove(x);
    const { left: boxLeft, top: boxTop } = this.box.getBoundingClientRect();
    const name = this.actions.axisName();
    const place = this.placeNear(x);
    if (rows.length)
      showTip(`${name} ${placeText(this.look.axis, place)}`.trim(), rows, boxLeft + left, boxTop + top);
    else hideTip();
    this.actions.pointed(x);
  }

  private placeNear(x: number): number {
    const strong = this.lines.find(({ id }) => id === this.strong);
    const at = strong ? nearest(strong.x, x) : -1;
    return strong && at >= 0 ? (strong.x[at] as number) : x;
  }

  /** Values at x, the largest first; remembers the line nearest to the pointer. */
  private rowsAt(x: number, top: number): TipRow[] {
    const found: { line: DrawnLine; at: number; value: number }[] = [];
    let best = Infinity;
    for (const line of this.lines) {
      const at = this.placeOn(line, x);
      if (at < 0) continue;
      const value = line.y[at] as number;
      found.push({ line, at, value });
      const away = this.frame ? Math.abs(toPixel(this.frame.y, value) - top) : Infinity;
      if (away < best) [best, this.strong] = [away, line.id];
    }
    found.sort((a, b) => (Number.isNaN(b.value) ? -1 : Number.isNaN(a.value) ? 1 : b.value - a.value));
    return found.map(({ line, at, value }) => ({
      color: line.color,
      label: line.label,
      value: formatUnit(value, this.look.unit),
      detail:
        found.length <= FEW || line.group || line.id === this.strong
          ? detailOf(line, at, this.look.unit)
          : "",
      strong: line.id === this.strong,
    }));
  }

  private leave(): void {
    this.dragFrom = null;
    this.pointer = null;
    this.elsewhere = null;
    hideTip();
    this.drawAbove(null);
    this.actions.pointed(null);
  }

  private drop(left: number): void {
    const from = this.dragFrom;
    this.dragFrom = null;
    if (from === null || !this.frame || Math.abs(left - toPixel(this.frame.x, from)) < SHORTEST_DRAG) return;
    const to = toValue(this.frame.x, within(this.frame, left));
    this.actions.zoom([Math.min(from, to), Math.max(from, to)]);
  }

  /** Arrows move the cursor, + and - zoom around it, 0 shows all. */
  private key(event: KeyboardEvent): void {
    const { frame } = this;
    if (!frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const width = frame.right - frame.left;
    const at = Number(this.above.dataset.at ?? frame.left + width / 2);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const step = (event.shiftKey ? 40 : 8) * (event.key === "ArrowLeft" ? -1 : 1);
      const next = within(frame, at + step);
      this.above.dataset.at = String(next);
      this.move(next, (frame.top + frame.bottom) / 2);
    } else if (event.key === "+" || event.key === "-") {
      const half = width / (event.key === "+" ? 4 : 1);
      this.actions.zoom([toValue(frame.x, at - half), toValue(frame.x, at + half)]);
    } else if (event.key === "0" || event.key === "Escape") {
      this.leave();
      this.actions.zoom(null);
    } else return;
    event.preventDefault();
  }
}

/** The pixel of the plot that is nearest to one. */
function within(frame: Frame, left: number): number {
  return Math.max(frame.left, Math.min(frame.right, left));
}

function detailOf(line: DrawnLine, at: number, unit: string): string {
  const raw = line.raw ? formatUnit(line.raw[at] as number, unit) : "";
  return [raw, bandText(line, at, unit), countText(line, at)].filter(Boolean).join(" · ");
}

/** Give a canvas its size for this screen and empty it; in the plot's units of CSS pixels. */
function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx?.clearRect(0, 0, width, height);
  return ctx;
}
