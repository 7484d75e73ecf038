import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { FONT } from "../charts/plot";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import type { ValuesReply } from "../charts/wire";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { cellOf, cellText, numberOf, shortColumn } from "./columns";
import { rows } from "./csv";
import { gradient } from "./gradient";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunInfo } from "./runs";
import { canvasIn, ValuesPanel } from "./values-panel";

interface Point {
  run: RunInfo;
  x: number;
  y: number;
  /** From 0 to 1 along the colouring column; NaN without one. */
  shade: number;
}

/** Runs as points over two columns, coloured as runs or by a third one. */
class Scatter extends ValuesPanel {
  private points: Point[] = [];
  private values: ValuesReply["runs"] = {};

  protected override columns(): string[] {
    return (this.spec.columns ?? []).filter(Boolean);
  }

  protected override show(runs: RunInfo[], values: ValuesReply["runs"]): void {
    const [xName = "", yName = "", shadeName = ""] = this.spec.columns ?? [];
    this.values = values;
    const shades = runs.map(({ uid }) => numberOf(values, uid, shadeName)).filter(Number.isFinite);
    const [low, high] = [Math.min(...shades), Math.max(...shades)];
    this.points = runs
      .map((run) => ({
        run,
        x: numberOf(values, run.uid, xName),
        y: numberOf(values, run.uid, yName),
        shade: shadeName ? (numberOf(values, run.uid, shadeName) - low) / (high - low || 1) : Number.NaN,
      }))
      .filter(({ x, y }) => this.fits(x, this.spec.logX) && this.fits(y, this.spec.logY));
    if (!this.points.length) {
      note(this.body, word("noPoints"));
      return;
    }
    this.head.say(shadeName ? word("coloredBy", { column: shortColumn(shadeName) }) : "");
    const ctx = canvasIn(this.body);
    if (!ctx) return;
    this.paint(ctx, 0, this.body.clientWidth, this.body.clientHeight);
    this.listen();
  }

  override picture(): Picture | null {
    const { clientWidth: width, clientHeight: height } = this.body;
    return { width, height, paint: (surface, top) => this.paint(surface, top, width, height) };
  }

  override async csv(): Promise<string> {
    const columns = this.columns();
    const cells = this.points.map(({ run }) => columns.map((name) => cellOf(this.values, run.uid, name)));
    return rows([
      ["id", "name", ...columns],
      ...this.points.map(({ run }, i) => [run.uid, run.name, ...(cells[i] ?? [])]),
    ]);
  }

  private fits(value: number, log = false): boolean {
    return Number.isFinite(value) && (!log || value > 0);
  }

  private scales(top: number, width: number, height: number): [Scale, Scale] {
    const range = (values: number[], log = false): [number, number] => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      if (log) return [low / 1.3, high * 1.3];
      const room = (high - low) * 0.06 || Math.abs(low) * 0.1 || 0.5;
      return [low - room, high + room];
    };
    const [xMin, xMax] = range(
      this.points.map(({ x }) => x),
      this.spec.logX,
    );
    const [yMin, yMax] = range(
      this.points.map(({ y }) => y),
      this.spec.logY,
    );
    const x = { min: xMin, max: xMax, log: this.spec.logX ?? false, from: 52, to: width - 16 };
    const y = { min: yMin, max: yMax, log: this.spec.logY ?? false, from: top + height - 40, to: top + 10 };
    return [x, y];
  }

  private paint(ctx: Surface, top: number, width: number, height: number): void {
    const colors = palette();
    const [x, y] = this.scales(top, width, height);
    const [xName = "", yName = ""] = this.spec.columns ?? [];
    ctx.font = FONT;
    ctx.strokeStyle = colors.grid;
    ctx.lineWidth = 1;
    ctx.fillStyle = colors.axis;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const { value, text } of ticksOf(y, "number", 34)) {
      const at = Math.round(toPixel(y, value)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x.from, at);
      ctx.lineTo(x.to, at);
      ctx.stroke();
      ctx.fillText(text, x.from - 6, at);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    for (const { value, text } of ticksOf(x, "number", 70)) {
      const at = Math.round(toPixel(x, value)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(at, y.to);
      ctx.lineTo(at, y.from);
      ctx.stroke();
      ctx.fillText(text, at, y.from + 6);
    }
    ctx.fillText(shortColumn(xName), (x.from + x.to) / 2, y.from + 22);
    ctx.textAlign = "left";
    ctx.fillText(shortColumn(yName), x.from + 4, y.to - 4);
    for (const point of this.points) {
      ctx.fillStyle = Number.isFinite(point.shade)
        ? gradient(point.shade)
        : (colors.runs[point.run.color] ?? colors.axis);
      ctx.globalAlpha = 0.85;
      ctx.beginPath();
      ctx.arc(toPixel(x, point.x), toPixel(y, point.y), 4.5, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  private listen(): void {
    const canvas = this.body.querySelector("canvas");
    if (!canvas || canvas.dataset.heard) return;
    canvas.dataset.heard = "";
    canvas.addEventListener("pointermove", (event) => {
      const near = this.nearest(event.offsetX, event.offsetY);
      if (!near) {
        hideTip();
        return;
      }
      const tips = this.columns().map((name) => ({
        color: near.run.color,
        label: shortColumn(name),
        value: formatValueOf(cellOf(this.values, near.run.uid, name)),
        detail: "",
        strong: false,
      }));
      showTip(near.run.name, tips, event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerleave", hideTip);
  }

  private nearest(left: number, top: number): Point | undefined {
    const [x, y] = this.scales(0, this.body.clientWidth, this.body.clientHeight);
    let best: Point | undefined;
    let least = 18;
    for (const point of this.points) {
      const away = Math.hypot(toPixel(x, point.x) - left, toPixel(y, point.y) - top);
      if (away < least) [best, least] = [point, away];
    }
    return best;
  }
}

function formatValueOf(cell: unknown): string {
  return typeof cell === "number" ? formatValue(cell) : cellText(cell);
}

export const makeScatter: MakePanel = (...given) => new Scatter(...given);
