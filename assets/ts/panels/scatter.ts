import { inkOf, palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import type { Surface } from "../charts/surface";
import { word } from "../lib/words";
import { AllRunsPanel } from "./all-runs-panel";
import { axisOf, type ColumnAxis, extentOf, fitted, ticksAlong } from "./axes";
import { canvasIn } from "./canvas";
import { shortColumn } from "./columns";
import { rows } from "./csv";
import { gradient } from "./gradient";
import { nearestPoint } from "./nearest";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import { paintAxes } from "./plot-axes";
import type { RunTable } from "./run-table";

/** Points of one look; they are painted in one go. */
interface Layer {
  color: string;
  alpha: number;
  at: number[];
}

const LEFT = 52;
const RIGHT = 16;
const ABOVE = 24;
const BELOW = 40;
/** Colours of a gradient; more cannot be told apart. */
const SHADES = 32;

/** All runs as points over two columns; those whose lines are drawn have their colours, or a third column colours all. */
class Scatter extends AllRunsPanel {
  protected override readonly fewest = 2;
  private table: RunTable | undefined;
  private x: ColumnAxis | undefined;
  private y: ColumnAxis | undefined;
  private count = 0;

  protected override columns(): string[] {
    return (this.spec.columns ?? []).slice(0, 3).filter(Boolean);
  }

  protected override show(table: RunTable): void {
    this.table = table;
    const { clientWidth: width, clientHeight: height } = this.body;
    this.layOut(table, width, height);
    if (!this.count) {
      note(this.body, word("noPoints"));
      return;
    }
    const shade = this.spec.columns?.[2] ?? "";
    const colored = shade ? ` · ${word("coloredBy", { column: shortColumn(shade) })}` : "";
    this.head.say(table.countText + colored);
    const ctx = canvasIn(this.body);
    if (!ctx) return;
    this.paint(ctx, 0, width);
    this.onPointer((event) => this.tip(event));
  }

  override picture(): Picture | null {
    const { clientWidth: width, clientHeight: height } = this.body;
    return { width, height, paint: (surface, top) => this.paint(surface, top, width) };
  }

  override async csv(): Promise<string> {
    const columns = this.columns();
    const cells = columns.map((column) => this.table?.cells(column) ?? []);
    return rows([
      ["id", "name", ...columns],
      ...(this.table?.runs ?? []).map(({ uid, name }, at) => [
        uid,
        name,
        ...cells.map((column) => column[at]),
      ]),
    ]);
  }

  private layOut(table: RunTable, width: number, height: number): void {
    const [xName = "", yName = ""] = this.spec.columns ?? [];
    const { logX = false, logY = false } = this.spec;
    this.x = axisOf(table, xName, { from: LEFT, to: width - RIGHT, log: logX, room: 0.05 });
    this.y = axisOf(table, yName, { from: height - BELOW, to: ABOVE, log: logY, room: 0.05 });
    this.count = table.runs.filter((_, at) => this.isShown(at)).length;
  }

  private isShown(at: number): boolean {
    return Number.isFinite(this.x?.places[at]) && Number.isFinite(this.y?.places[at]);
  }

  private paint(ctx: Surface, top: number, width: number): void {
    const { x, y } = this;
    if (!x || !y) return;
    this.paintNamedAxes(ctx, top, width, x, y);
    const radius = this.count > 3000 ? 2.5 : this.count > 500 ? 3.5 : 4.5;
    for (const { color, alpha, at } of this.layers()) {
      ctx.fillStyle = color;
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      for (const point of at) {
        const [left, above] = [x.places[point] as number, (y.places[point] as number) + top];
        ctx.moveTo(left + radius, above);
        ctx.arc(left, above, radius, 0, 2 * Math.PI);
      }
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  /** Points by how they look: what a brush has left out lies below, then what is not drawn as lines. */
  private layers(): Layer[] {
    const { table } = this;
    if (!table) return [];
    const colors = palette();
    const { runs } = this.stage;
    const drawn = this.drawn();
    const shades = this.shades(table);
    const found: Map<string, Layer>[] = [new Map(), new Map(), new Map()];
    for (const [at, { uid, color }] of table.runs.entries()) {
      if (!this.isShown(at)) continue;
      const isKept = runs.narrowing.keeps(uid);
      const isDrawn = drawn.has(uid);
      const own = isDrawn ? inkOf(runs.colorOf(uid, color)) : colors.axis;
      const look = shades?.[at] ?? own;
      const alpha = !isKept ? 0.12 : isDrawn || shades ? 0.85 : 0.45;
      const layers = found[!isKept ? 0 : isDrawn ? 2 : 1] as Map<string, Layer>;
      const layer = layers.get(look) ?? { color: look, alpha, at: [] };
      layers.set(look, layer);
      layer.at.push(at);
    }
    return found.flatMap((layers) => [...layers.values()]);
  }

  /** The colour of each run along the third column; undefined where it has no number there. */
  private shades(table: RunTable): (string | undefined)[] | null {
    const column = this.spec.columns?.[2];
    if (!column) return null;
    const { values } = table.measured(column);
    const [low, high] = extentOf(values) ?? [0, 1];
    return Array.from(values, (value) => {
      if (!Number.isFinite(value)) return undefined;
      return gradient(Math.round(((value - low) / (high - low || 1)) * SHADES) / SHADES);
    });
  }

  private paintNamedAxes(ctx: Surface, top: number, width: number, x: ColumnAxis, y: ColumnAxis): void {
    const colors = palette();
    paintAxes(ctx, top, {
      x: x.scale,
      y: y.scale,
      xTicks: ticksAlong(x, 70),
      yTicks: ticksAlong(y, 34),
      margin: LEFT,
      gap: 6,
      hasUprights: true,
    });
    const bottom = y.scale.from + top;
    ctx.fillStyle = colors.text;
    ctx.fillText(fitted(shortColumn(x.column), width - LEFT), (x.scale.from + x.scale.to) / 2, bottom + 22);
    ctx.textAlign = "left";
    ctx.fillText(fitted(shortColumn(y.column), width - 16), 8, top + 4);
  }

  private tip(event: PointerEvent): void {
    this.showRun(this.table, this.nearest(event.offsetX, event.offsetY), event);
  }

  private nearest(left: number, top: number): number {
    const { x, y } = this;
    return x && y ? nearestPoint(x.places, y.places, left, top) : -1;
  }
}

export const makeScatter: MakePanel = (...given) => new Scatter(...given);
