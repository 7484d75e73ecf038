import { palette } from "../charts/palette";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showPairs } from "../charts/tip";
import { formatValue } from "../lib/format";
import { runUrl } from "../lib/runs";
import { word } from "../lib/words";
import { AllRunsPanel } from "../panels/all-runs-panel";
import { axisOf, type ColumnAxis, ticksAlong } from "../panels/axes";
import { canvasIn } from "../panels/canvas";
import { shortColumn } from "../panels/columns";
import { nearestPoint } from "../panels/nearest";
import { note } from "../panels/notes";
import type { Head, Stage } from "../panels/panel";
import { paintAxes } from "../panels/plot-axes";
import type { RunTable } from "../panels/run-table";
import type { PanelSpec } from "../panels/spec";
import { bestSoFar } from "./best";
import { paintMark, stateColor } from "./marks";

const LEFT = 52;
const RIGHT = 18;
const ABOVE = 16;
/** Room for the texts of x, and above them for runs without a value. */
const BELOW = 48;
const WITHOUT = 12;

/** The value of each run in order of start, and the best so far as a line of steps; a click opens the run. */
export class History extends AllRunsPanel {
  protected override readonly fewest = 1;
  private table: RunTable | undefined;
  private x: Scale = { min: 0, max: 1, log: false, from: 0, to: 1 };
  private y: ColumnAxis | undefined;
  private best: Float64Array = new Float64Array(0);
  private hovered = -1;

  constructor(
    body: HTMLElement,
    spec: PanelSpec,
    stage: Stage,
    head: Head,
    private readonly goal: string,
    private readonly states: (states: ReadonlySet<string>, hasMissing: boolean) => void,
  ) {
    super(body, spec, stage, head);
  }

  protected override columns(): string[] {
    return this.spec.columns ?? [];
  }

  protected override show(table: RunTable): void {
    this.table = table;
    const [column = ""] = this.columns();
    const { clientWidth: width, clientHeight: height } = this.body;
    const wish = { from: height - BELOW, to: ABOVE, log: "auto", room: 0.05 } as const;
    this.y = axisOf(table, column, wish);
    this.x = {
      min: 0.5,
      max: Math.max(1.5, table.runs.length + 0.5),
      log: false,
      from: LEFT,
      to: width - RIGHT,
    };
    this.best = bestSoFar(this.y.values, this.goal === "maximize");
    const count = this.y.places.filter(Number.isFinite).length;
    if (!count) {
      note(this.body, word("sweepNoValue"));
      return;
    }
    this.head.say(table.countText);
    this.states(new Set(table.runs.map(({ state }) => state)), count < table.runs.length);
    this.repaint();
    this.describe(count);
    this.listen();
  }

  private repaint(): void {
    const ctx = canvasIn(this.body);
    if (ctx) this.paint(ctx, 0);
  }

  private paint(ctx: Surface, top: number): void {
    const { y, table } = this;
    if (!y || !table) return;
    paintAxes(ctx, top, {
      x: this.x,
      y: y.scale,
      xTicks: ticksOf(this.x, "step", 70).filter(({ value }) => value >= 1),
      yTicks: ticksAlong(y, 34),
      margin: LEFT,
      gap: WITHOUT + 6,
      hasUprights: false,
    });
    ctx.textAlign = "center";
    ctx.fillText(word("sweepRunOrder"), (this.x.from + this.x.to) / 2, y.scale.from + top + WITHOUT + 21);
    this.paintBest(ctx, top);
    this.paintRuns(ctx, top);
  }

  private paintBest(ctx: Surface, top: number): void {
    const { y } = this;
    if (!y) return;
    ctx.strokeStyle = palette().runs[0] ?? palette().axis;
    ctx.lineWidth = 2;
    ctx.beginPath();
    let before = Number.NaN;
    for (let at = 0; at < this.best.length; at += 1) {
      const value = this.best[at] as number;
      if (Number.isNaN(value)) continue;
      const [left, above] = [this.leftOf(at), toPixel(y.scale, value) + top];
      if (Number.isNaN(before)) ctx.moveTo(left, above);
      else {
        ctx.lineTo(left, before);
        ctx.lineTo(left, above);
      }
      before = above;
    }
    if (!Number.isNaN(before)) ctx.lineTo(this.x.to, before);
    ctx.stroke();
  }

  private paintRuns(ctx: Surface, top: number): void {
    const { table, y } = this;
    if (!table || !y) return;
    const radius = table.runs.length > 200 ? 3 : 4;
    const { narrowing } = this.stage.runs;
    const colors = new Map(
      [...new Set(table.runs.map(({ state }) => state))].map((state) => [state, stateColor(state)]),
    );
    for (const [at, { uid, state }] of table.runs.entries()) {
      ctx.globalAlpha = narrowing.keeps(uid) ? 0.85 : 0.15;
      paintMark(ctx, state, colors.get(state) ?? "", {
        x: this.leftOf(at),
        y: this.topOf(at) + top,
        r: at === this.hovered ? radius + 2 : radius,
      });
    }
    ctx.globalAlpha = 1;
  }

  private leftOf(at: number): number {
    return toPixel(this.x, at + 1);
  }

  /** Where a run is marked; one without a value lies below all others. */
  private topOf(at: number): number {
    const place = this.y?.places[at] as number;
    return Number.isFinite(place) ? place : (this.y?.scale.from ?? 0) + WITHOUT;
  }

  private listen(): void {
    this.onPointer((event) => this.tip(event));
    const canvas = this.body.querySelector("canvas");
    if (!canvas || canvas.dataset.opens) return;
    canvas.dataset.opens = "run";
    canvas.addEventListener("click", (event) => {
      const run = this.table?.runs[this.nearest(event.offsetX, event.offsetY)];
      if (!run) return;
      const address = runUrl(this.stage.urls.run, run.uid);
      if (event.ctrlKey || event.metaKey) window.open(address, "_blank", "noopener");
      else location.assign(address);
    });
    canvas.addEventListener("pointerleave", () => this.hover(-1));
  }

  private tip(event: PointerEvent): void {
    const at = this.nearest(event.offsetX, event.offsetY);
    this.hover(at);
    const run = this.table?.runs[at];
    const canvas = this.body.querySelector("canvas");
    if (canvas) canvas.style.cursor = run ? "pointer" : "default";
    if (!run || !this.y) {
      hideTip();
      return;
    }
    const value = this.y.values[at] as number;
    const best = this.best[at] as number;
    const pairs: [string, string][] = [
      [run.name, word(`state_${run.state}`)],
      [shortColumn(this.y.column), Number.isFinite(value) ? formatValue(value) : word("sweepWithout")],
    ];
    if (Number.isFinite(best)) pairs.push([word("sweepBest"), formatValue(best)]);
    showPairs(pairs, event.clientX, event.clientY);
  }

  private hover(at: number): void {
    if (at === this.hovered) return;
    this.hovered = at;
    this.repaint();
  }

  private nearest(left: number, top: number): number {
    const runs = this.table?.runs ?? [];
    const lefts = runs.map((_, at) => this.leftOf(at));
    const tops = runs.map((_, at) => this.topOf(at));
    return nearestPoint(lefts, tops, left, top);
  }

  /** Say what the drawing shows to who does not see it. */
  private describe(count: number): void {
    const canvas = this.body.querySelector("canvas");
    const value = this.best[this.best.length - 1] ?? Number.NaN;
    canvas?.setAttribute("role", "img");
    canvas?.setAttribute("aria-label", word("sweepHistory", { n: count, value: formatValue(value) }));
  }
}
