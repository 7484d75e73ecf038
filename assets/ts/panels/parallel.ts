import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { FONT } from "../charts/plot";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import type { ValuesReply } from "../charts/wire";
import { collate } from "../lib/format";
import { word } from "../lib/words";
import { cellOf, cellText, numberOf, shortColumn } from "./columns";
import { rows } from "./csv";
import { gradient } from "./gradient";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunInfo } from "./runs";
import { canvasIn, ValuesPanel } from "./values-panel";

/** One upright axis: numbers, or the names of a column of text at even places. */
interface Upright {
  column: string;
  left: number;
  names: string[] | null;
  scale: Scale;
}

const TOP = 30;
const BOTTOM = 14;
const GRIP = 10;

/** Runs as lines over upright axes, coloured by the last; a drag along an axis keeps only the runs that pass there. */
class Parallel extends ValuesPanel {
  private runsShown: RunInfo[] = [];
  private values: ValuesReply["runs"] = {};
  private axes: Upright[] = [];
  /** Chosen ranges in pixels from the top, by column. */
  private readonly brushes = new Map<string, [number, number]>();
  private drag: { axis: Upright; from: number } | null = null;

  protected override columns(): string[] {
    return this.spec.columns ?? [];
  }

  protected override show(runs: RunInfo[], values: ValuesReply["runs"]): void {
    if (this.drag) return;
    if (!this.brushes.size) this.runsShown = runs; // a brush has narrowed the others; here all stay, faint
    this.values = values;
    if (this.columns().length < 2) {
      note(this.body, word("twoColumns"));
      return;
    }
    this.draw();
    this.listen();
  }

  override destroy(): void {
    if (this.brushes.size) this.stage.runs.narrow(null);
    super.destroy();
  }

  override picture(): Picture | null {
    const { clientWidth: width, clientHeight: height } = this.body;
    return { width, height, paint: (surface, top) => this.paint(surface, top) };
  }

  override async csv(): Promise<string> {
    const columns = this.columns();
    return rows([
      ["id", "name", ...columns],
      ...this.runsShown.map(({ uid, name }) => [
        uid,
        name,
        ...columns.map((one) => cellOf(this.values, uid, one)),
      ]),
    ]);
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.body;
    const columns = this.columns();
    const [left, right] = [48, width - 48];
    this.axes = columns.map((column, place) =>
      this.axisOf(column, left + ((right - left) * place) / (columns.length - 1), height),
    );
    const ctx = canvasIn(this.body);
    if (ctx) this.paint(ctx, 0);
  }

  private axisOf(column: string, left: number, height: number): Upright {
    const numbers = this.runsShown
      .map(({ uid }) => numberOf(this.values, uid, column))
      .filter(Number.isFinite);
    const cells = this.runsShown.map(({ uid }) => cellOf(this.values, uid, column));
    const isText = cells.some((cell) => typeof cell === "string");
    const names = isText ? [...new Set(cells.map(cellText))].sort(collate) : null;
    const [low, high] = names
      ? [0, Math.max(1, names.length - 1)]
      : [Math.min(...numbers), Math.max(...numbers)];
    const log = !names && low > 0 && high / low >= 20;
    const known = Number.isFinite(low) && low < high;
    const [min, max] = known ? [low, high] : [(low || 0) - 0.5, (low || 0) + 0.5];
    return { column, left, names, scale: { min, max, log, from: height - BOTTOM, to: TOP } };
  }

  private placeOf({ names, column, scale }: Upright, uid: string): number | null {
    const cell = cellOf(this.values, uid, column);
    const value = names ? names.indexOf(cellText(cell)) : numberOf(this.values, uid, column);
    return Number.isFinite(value) && !(names && value === -1) ? toPixel(scale, value) : null;
  }

  private isKept(uid: string): boolean {
    return this.axes.every((axis) => {
      const brush = this.brushes.get(axis.column);
      if (!brush) return true;
      const place = this.placeOf(axis, uid);
      return place !== null && place >= brush[0] && place <= brush[1];
    });
  }

  private paint(ctx: Surface, top: number): void {
    const colors = palette();
    const last = this.axes[this.axes.length - 1];
    const kept = this.runsShown.filter(({ uid }) => this.isKept(uid));
    const faint = this.runsShown.filter(({ uid }) => !this.isKept(uid));
    ctx.lineWidth = 1.25;
    for (const [runs, alpha] of [
      [faint, 0.12],
      [kept, 0.8],
    ] as const) {
      for (const { uid } of runs) {
        const end = last ? this.placeOf(last, uid) : null;
        const part =
          last && end !== null ? (end - last.scale.from) / (last.scale.to - last.scale.from) : Number.NaN;
        ctx.globalAlpha = alpha;
        ctx.strokeStyle = Number.isFinite(part) ? gradient(part) : colors.axis;
        this.trace(ctx, uid, top);
      }
    }
    ctx.globalAlpha = 1;
    for (const axis of this.axes) this.paintAxis(ctx, axis, top);
  }

  private trace(ctx: Surface, uid: string, top: number): void {
    ctx.beginPath();
    let isFirst = true;
    for (const axis of this.axes) {
      const place = this.placeOf(axis, uid);
      if (place === null) {
        isFirst = true;
        continue;
      }
      if (isFirst) ctx.moveTo(axis.left, place + top);
      else ctx.lineTo(axis.left, place + top);
      isFirst = false;
    }
    ctx.stroke();
  }

  private paintAxis(ctx: Surface, axis: Upright, top: number): void {
    const colors = palette();
    const { scale, left, names } = axis;
    ctx.strokeStyle = colors.cursor;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(left, scale.to + top);
    ctx.lineTo(left, scale.from + top);
    ctx.stroke();
    ctx.font = FONT;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = colors.text;
    ctx.fillText(shortColumn(axis.column), left, top + 12);
    ctx.fillStyle = colors.axis;
    ctx.textAlign = "right";
    const ticks = names ? names.map((text, value) => ({ text, value })) : ticksOf(scale, "number", 40);
    for (const { text, value } of ticks) {
      const [label, at] = [text.slice(0, 12), toPixel(scale, value) + top];
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
    if (!brush) return;
    ctx.globalAlpha = 0.25;
    ctx.fillStyle = colors.runs[0] ?? colors.axis;
    ctx.beginPath();
    ctx.rect(left - 6, brush[0] + top, 12, brush[1] - brush[0]);
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  private listen(): void {
    const canvas = this.body.querySelector("canvas");
    if (!canvas || canvas.dataset.heard) return;
    canvas.dataset.heard = "";
    const axisAt = (left: number) => this.axes.find((axis) => Math.abs(axis.left - left) < GRIP);
    canvas.addEventListener("pointerdown", (event) => {
      const axis = axisAt(event.offsetX);
      if (!axis) return;
      this.drag = { axis, from: event.offsetY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      canvas.style.cursor = axisAt(event.offsetX) ? "row-resize" : "default";
      if (this.drag) {
        const [low, high] = [this.drag.from, event.offsetY].sort((a, b) => a - b) as [number, number];
        this.brushes.set(this.drag.axis.column, [low, high]);
        this.draw();
      } else this.tip(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const { drag } = this;
      this.drag = null;
      if (!drag) return;
      if (Math.abs(event.offsetY - drag.from) < 5) this.brushes.delete(drag.axis.column);
      this.draw();
      const kept = this.runsShown.filter(({ uid }) => this.isKept(uid)).map(({ uid }) => uid);
      this.stage.runs.narrow(this.brushes.size ? new Set(kept) : null);
      this.head.say(this.brushes.size ? word("linesShown", { n: kept.length }) : "");
    });
    canvas.addEventListener("pointerleave", hideTip);
  }

  private tip(event: PointerEvent): void {
    const right = this.axes.findIndex(({ left }) => left > event.offsetX);
    const [a, b] = [this.axes[right - 1], this.axes[right]];
    if (!a || !b) {
      hideTip();
      return;
    }
    const part = (event.offsetX - a.left) / (b.left - a.left);
    let best: RunInfo | undefined;
    let least = 10;
    for (const run of this.runsShown) {
      const [from, to] = [this.placeOf(a, run.uid), this.placeOf(b, run.uid)];
      if (from === null || to === null) continue;
      const away = Math.abs(from + (to - from) * part - event.offsetY);
      if (away < least) [best, least] = [run, away];
    }
    if (!best) {
      hideTip();
      return;
    }
    const { uid, name, color } = best;
    const tips = this.columns().map((column) => ({
      color,
      label: shortColumn(column),
      value: cellText(cellOf(this.values, uid, column)),
      detail: "",
      strong: false,
    }));
    showTip(name, tips, event.clientX, event.clientY);
  }
}

export const makeParallel: MakePanel = (...given) => new Parallel(...given);
