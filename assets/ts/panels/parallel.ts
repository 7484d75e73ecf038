import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { plotFont } from "../charts/plot";
import { toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip } from "../charts/tip";
import { make, makeIconButton } from "../lib/dom";
import { word } from "../lib/words";
import { AllRunsPanel } from "./all-runs-panel";
import { axisOf, type ColumnAxis, fitted, ticksAlong } from "./axes";
import { brushBetween, brushText, moved, passing, pixelsOf } from "./brush";
import { canvasIn } from "./canvas";
import { shortColumn } from "./columns";
import { rows } from "./csv";
import { gradient } from "./gradient";
import type { Brush } from "./narrowing";
import { nearestLine } from "./nearest";
import type { MakePanel } from "./panel";
import { runCount } from "./run-count";
import type { RunTable } from "./run-table";

const TOP = 30;
const BOTTOM = 14;
const SIDE = 48;
/** How near to an axis a drag begins, pixels. */
const GRIP = 12;
/** Drags shorter than this are clicks, pixels. */
const CLICK = 4;
const SHADES = 32;
/** Lines of one path: longer ones take a browser long. */
const LINES_A_PATH = 250;

interface Drag {
  axis: number;
  from: number;
  /** The brush that is moved; a new one is drawn without. */
  brush: Brush | undefined;
}

/** All runs as lines over upright axes, coloured by the last; ranges brushed on axes leave the runs that pass them. */
class Parallel extends AllRunsPanel {
  protected override readonly fewest = 2;
  private table: RunTable | undefined;
  private axes: ColumnAxis[] = [];
  private lefts: number[] = [];
  private brushes = new Map<string, Brush>();
  private drag: Drag | null = null;
  private frame = 0;
  private readonly chips = make("div", "panel-chips panel-brushes");
  private readonly plot = make("div", "panel-plot");
  /** All runs, faint; seen while a brush leaves some of them out. Painted once, not with every move of a drag. */
  private readonly under = this.plot.appendChild(make("div", "panel-layer"));
  private readonly over = this.plot.appendChild(make("div", "panel-layer"));
  private underOf: readonly ColumnAxis[] = [];

  protected override columns(): string[] {
    return this.spec.columns ?? [];
  }

  protected override show(table: RunTable): void {
    if (this.drag) return;
    this.table = table;
    const known = this.stage.runs.narrowing.brushesOf(this.spec.id);
    this.brushes = new Map([...known].filter(([column]) => this.columns().includes(column)));
    if (this.plot.parentElement !== this.body) this.body.replaceChildren(this.chips, this.plot);
    this.showBrushes();
    this.draw();
    this.listen();
    if (known.size) this.tell(); // values that have come may pass now
  }

  override destroy(): void {
    cancelAnimationFrame(this.frame);
    super.destroy();
  }

  override picture(): Picture | null {
    const { clientWidth: width, clientHeight: height } = this.plot;
    const paint = (surface: Surface, top: number) => {
      if (this.brushes.size) this.paintAll(surface, top);
      this.paintKept(surface, top);
    };
    return { width, height, paint };
  }

  override async csv(): Promise<string> {
    const columns = this.columns();
    const cells = columns.map((column) => this.table?.cells(column) ?? []);
    const kept = this.kept();
    const lines = (this.table?.runs ?? []).flatMap(({ uid, name }, at) =>
      kept[at] ? [[uid, name, ...cells.map((column) => column[at])]] : [],
    );
    return rows([["id", "name", ...columns], ...lines]);
  }

  private draw(): void {
    const { table } = this;
    if (!table) return;
    const { clientWidth: width, clientHeight: height } = this.plot;
    const columns = this.columns();
    const wish = { from: height - BOTTOM, to: TOP, log: "auto", room: 0 } as const;
    this.axes = columns.map((column) => axisOf(table, column, wish));
    this.lefts = columns.map((_, at) => SIDE + ((width - 2 * SIDE) * at) / (columns.length - 1));
    this.repaint();
  }

  private repaint(): void {
    this.under.hidden = !this.brushes.size;
    if (this.brushes.size && this.underOf !== this.axes) {
      const faint = canvasIn(this.under);
      if (faint) this.paintAll(faint, 0);
      this.underOf = this.axes;
    }
    const ctx = canvasIn(this.over);
    if (ctx) this.paintKept(ctx, 0);
  }

  /** 1 for each run that passes all brushes. */
  private kept(): Uint8Array {
    return passing(this.axes, this.brushes, this.table?.runs.length ?? 0);
  }

  private paintAll(ctx: Surface, top: number): void {
    ctx.lineWidth = 1;
    const count = this.table?.runs.length ?? 0;
    this.paintLines(ctx, top, count > 500 ? 0.05 : 0.12, () => true);
    ctx.globalAlpha = 1;
  }

  private paintKept(ctx: Surface, top: number): void {
    const kept = this.kept();
    const count = kept.reduce((sum, one) => sum + one, 0);
    ctx.lineWidth = count > 300 ? 1 : 1.25;
    this.paintLines(ctx, top, opacityOf(count), (at) => kept[at] === 1);
    ctx.globalAlpha = 1;
    for (const [at, axis] of this.axes.entries()) this.paintAxis(ctx, axis, this.lefts[at] as number, top);
  }

  private paintLines(ctx: Surface, top: number, alpha: number, wanted: (at: number) => boolean): void {
    ctx.globalAlpha = alpha;
    for (const [color, lines] of this.byColor(wanted)) {
      ctx.strokeStyle = color;
      for (let from = 0; from < lines.length; from += LINES_A_PATH) {
        ctx.beginPath();
        for (const at of lines.slice(from, from + LINES_A_PATH)) this.trace(ctx, at, top);
        ctx.stroke();
      }
    }
  }

  /** Runs by their colour, which the last axis gives. */
  private byColor(wanted: (at: number) => boolean): Map<string, number[]> {
    const last = this.axes[this.axes.length - 1];
    const shades = Array.from({ length: SHADES + 1 }, (_, at) => gradient(at / SHADES));
    const { axis: none } = palette();
    const found = new Map<string, number[]>();
    for (let at = 0; at < (this.table?.runs.length ?? 0); at += 1) {
      if (!last || !wanted(at)) continue;
      const part = ((last.places[at] as number) - last.scale.from) / (last.scale.to - last.scale.from);
      const color = (Number.isFinite(part) && shades[Math.round(part * SHADES)]) || none;
      const lines = found.get(color);
      if (lines) lines.push(at);
      else found.set(color, [at]);
    }
    return found;
  }

  /** Follow one run over the axes; where it has no value the line breaks. */
  private trace(ctx: Surface, at: number, top: number): void {
    let isBroken = true;
    for (let axis = 0; axis < this.axes.length; axis += 1) {
      const place = this.axes[axis]?.places[at] as number;
      const left = this.lefts[axis] as number;
      if (Number.isNaN(place)) {
        isBroken = true;
        continue;
      }
      if (isBroken) ctx.moveTo(left, place + top);
      else ctx.lineTo(left, place + top);
      isBroken = false;
    }
  }

  private paintAxis(ctx: Surface, axis: ColumnAxis, left: number, top: number): void {
    const colors = palette();
    const { scale } = axis;
    const room = (this.lefts[1] ?? 0) - (this.lefts[0] ?? 0);
    ctx.strokeStyle = colors.cursor;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(left, scale.to + top);
    ctx.lineTo(left, scale.from + top);
    ctx.stroke();
    ctx.font = plotFont();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = colors.text;
    ctx.fillText(fitted(shortColumn(axis.column), Math.min(room - 6, 2 * SIDE + 40)), left, top + 12);
    ctx.textAlign = "right";
    for (const { text, value } of ticksAlong(axis, axis.names ? 14 : 40)) {
      const label = fitted(text, Math.min(SIDE + 24, room - 12, left - 2));
      const at = toPixel(scale, value) + top;
      ctx.globalAlpha = 0.75; // lines pass below the text
      ctx.fillStyle = colors.surface;
      ctx.beginPath();
      ctx.rect(left - 8 - label.length * 6.2, at - 7, label.length * 6.2 + 5, 14);
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.fillStyle = colors.text;
      ctx.fillText(label, left - 5, at);
    }
    const brush = this.brushes.get(axis.column);
    if (brush) this.paintBrush(ctx, pixelsOf(axis, brush), left, top);
  }

  private paintBrush(ctx: Surface, [from, to]: [number, number], left: number, top: number): void {
    const colors = palette();
    ctx.fillStyle = colors.runs[0] ?? colors.axis;
    ctx.strokeStyle = colors.runs[0] ?? colors.axis;
    ctx.beginPath();
    ctx.rect(left - 6, from + top, 12, Math.max(2, to - from));
    ctx.globalAlpha = 0.3;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  }

  /** A chip for each brush, which takes it away. */
  private showBrushes(): void {
    const chips = this.columns().flatMap((column) => {
      const brush = this.brushes.get(column);
      const { table } = this;
      if (!brush || !table) return [];
      const axis = axisOf(table, column, { from: 1, to: 0, log: "auto", room: 0 });
      const chip = make("span", "tag", `${shortColumn(column)}: ${brushText(axis, brush)}`);
      const remove = makeIconButton("x", word("clearBrush", { column: shortColumn(column) }));
      remove.addEventListener("click", () => {
        this.brushes.delete(column);
        this.brushed();
      });
      chip.append(remove);
      return [chip];
    });
    this.chips.replaceChildren(...chips);
    this.chips.hidden = !chips.length;
  }

  /** Other ranges are chosen: all panels hear of it. */
  private brushed(): void {
    this.showBrushes(); // first, as the plot's height follows
    this.draw();
    this.tell();
  }

  private tell(): void {
    const { table } = this;
    if (!table) return;
    const kept = this.kept();
    const uids = table.runs.flatMap(({ uid }, at) => (kept[at] ? [uid] : []));
    this.head.say(this.brushes.size ? runCount(uids.length, table.runs.length) : table.countText);
    this.stage.runs.narrowing.put(this.spec.id, new Map(this.brushes), new Set(uids));
  }

  private listen(): void {
    const { table } = this;
    if (table && !this.brushes.size) this.head.say(table.countText);
    const canvas = this.over.querySelector("canvas");
    if (!canvas || canvas.dataset.heard) return;
    canvas.dataset.heard = "";
    const touch = ({ touches: [at] }: TouchEvent) => at && at.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener(
      "touchstart",
      (event) => this.axisAt(touch(event) ?? -1) >= 0 && event.preventDefault(), // there it brushes, not scrolls
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => this.take(event, canvas));
    canvas.addEventListener("pointermove", (event) => {
      canvas.style.cursor = this.axisAt(event.offsetX) >= 0 ? "row-resize" : "default";
      if (this.drag) this.pull(event.offsetY);
      else this.tip(event);
    });
    canvas.addEventListener("pointerup", (event) => this.drop(event.offsetY));
    canvas.addEventListener("pointercancel", () => this.drop(this.drag?.from ?? 0));
    canvas.addEventListener("pointerleave", hideTip);
  }

  private axisAt(left: number): number {
    return this.lefts.findIndex((one) => Math.abs(one - left) < GRIP);
  }

  private take(event: PointerEvent, canvas: HTMLElement): void {
    const at = this.axisAt(event.offsetX);
    const axis = this.axes[at];
    if (!axis) return;
    hideTip();
    const brush = this.brushes.get(axis.column);
    const [from, to] = brush ? pixelsOf(axis, brush) : [0, 0];
    const isInside = brush && event.offsetY >= from && event.offsetY <= to;
    this.drag = { axis: at, from: event.offsetY, brush: isInside ? brush : undefined };
    canvas.setPointerCapture(event.pointerId);
  }

  private pull(to: number): void {
    const { drag } = this;
    const axis = drag && this.axes[drag.axis];
    if (!drag || !axis || Math.abs(to - drag.from) < CLICK) return;
    const brush = drag.brush ? moved(axis, drag.brush, to - drag.from) : brushBetween(axis, drag.from, to);
    if (brush) this.brushes.set(axis.column, brush);
    else if (!drag.brush) this.brushes.delete(axis.column);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.repaint());
  }

  private drop(at: number): void {
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    cancelAnimationFrame(this.frame);
    if (Math.abs(at - drag.from) < CLICK) this.brushes.delete(this.axes[drag.axis]?.column ?? "");
    this.brushed();
  }

  private tip(event: PointerEvent): void {
    this.showRun(this.table, this.nearest(event.offsetX, event.offsetY), event);
  }

  /** The line next to a place between two axes; of those that a brush has left out none. */
  private nearest(left: number, top: number): number {
    const axes = this.axes.map(({ places }, at) => ({ places, left: this.lefts[at] as number }));
    return nearestLine(axes, this.kept(), left, top);
  }
}

/** How opaque lines are: the more, the less, so that where many pass is seen. */
function opacityOf(count: number): number {
  return count > 3000 ? 0.3 : count > 500 ? 0.45 : 0.8;
}

export const makeParallel: MakePanel = (...given) => new Parallel(...given);
