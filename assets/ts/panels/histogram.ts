import { inkOf } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { type Axis, type Scale, type Tick, ticksOf, toPixel, toValue } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip, type TipRow } from "../charts/tip";
import { make } from "../lib/dom";
import { formatPercent, formatValue } from "../lib/format";
import { getJson } from "../lib/http";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { lastAtMost } from "../logs/rows";
import { onceChosen, Stepper } from "../media/stepper";
import type { HeatReply } from "../media/wire";
import { canvasIn } from "./canvas";
import { rows } from "./csv";
import { endsOf, percentTicks, sharesOf } from "./histogram-bins";
import { mediaUrls } from "./media";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import { paintAxes } from "./plot-axes";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

/** While runs log, histograms are read anew at most this often, milliseconds. */
const AGAIN_MS = 10_000;
/** Over each other; more cannot be told apart, and the server answers no more. */
const MOST_RUNS = 50;
const LEFT = 52;
const RIGHT = 14;
const ABOVE = 10;
const BELOW = 24;

/** Histograms of several runs at one step, on common bins. */
interface OverlayReply {
  steps: number[];
  edges: number[];
  runs: Record<string, { step: number; counts: number[] }>;
}

/** One run's histogram over all steps, as a heat map. */
interface Heat {
  run: RunInfo;
  reply: HeatReply;
}

interface Shape {
  run: RunInfo;
  step: number;
  counts: number[];
  /** Of all values of the histogram, in each bin: 0 to 1. */
  shares: number[];
}

interface Overlay {
  edges: number[];
  shapes: Shape[];
}

/** A key's histograms: of one run over its steps, of several over each other at the step that a slider chooses (RUN-26). */
class HistogramPanel implements Panel {
  private heat: Heat | null = null;
  private overlay: Overlay | null = null;
  private shownFor = "";
  private readAt = 0;
  private readonly readSoon = onceChosen(() => void this.read());
  private readonly stepper = new Stepper(this.readSoon);
  private isGone = false;
  private turn = 0;
  private readonly tools = make("div", "panel-tools");
  private readonly plot = make("div", "panel-plot");
  private x: Scale | undefined;
  private y: Scale | undefined;

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    this.tools.append(this.stepper.element);
    this.plot.addEventListener("pointermove", (event) => this.tip(event));
    this.plot.addEventListener("pointerleave", hideTip);
  }

  refresh(): void {
    const wanted = this.runs.map(({ uid, name, color }) => `${uid}:${name}:${color}`).join(" ");
    if (wanted === this.shownFor) {
      if (this.plot.isConnected) this.show(); // another size or theme
      return;
    }
    this.shownFor = wanted;
    void this.read();
  }

  grew(): void {
    if (performance.now() - this.readAt >= AGAIN_MS) void this.read();
  }

  destroy(): void {
    this.isGone = true;
    this.readSoon.cancel();
    this.stepper.stop();
    hideTip();
    this.body.replaceChildren();
  }

  picture(): Picture | null {
    if (!this.plot.isConnected) return null;
    const { clientWidth: width, clientHeight: height } = this.plot;
    return { width, height, paint: (surface, top) => this.paint(surface, top, width, height) };
  }

  async csv(): Promise<string> {
    const lines = (run: RunInfo, step: number, edges: number[], counts: number[]) =>
      counts.map((count, at) => [run.uid, run.name, step, edges[at], edges[at + 1], count]);
    const { heat, overlay } = this;
    const found = heat
      ? heat.reply.steps.flatMap((step, at) =>
          lines(heat.run, step, heat.reply.edges, heat.reply.counts[at] ?? []),
        )
      : (overlay?.shapes ?? []).flatMap(({ run, step, counts }) =>
          lines(run, step, overlay?.edges ?? [], counts),
        );
    return rows([["id", "name", "step", "from", "to", "count"], ...found]);
  }

  private get key(): string {
    return this.spec.keys[0] ?? "";
  }

  private get runs(): RunInfo[] {
    return this.stage.runs.drawn();
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    this.turn += 1;
    const { turn, runs } = this;
    if (!this.key || !runs.length) {
      note(this.body, this.key ? noneDrawn(this.stage.runs) : word("chooseKey"));
      return;
    }
    try {
      const [heat, overlay] =
        runs.length === 1
          ? [await this.readHeat(runs[0] as RunInfo), null]
          : [null, await this.readOverlay(runs.slice(0, MOST_RUNS))];
      if (this.isGone || turn !== this.turn) return;
      this.heat = heat;
      this.overlay = overlay;
      this.lay();
    } catch {
      if (this.isGone || turn !== this.turn || this.plot.isConnected) return; // what is shown stays
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private async readHeat(run: RunInfo): Promise<Heat> {
    const { heat } = mediaUrls(this.stage, run.uid);
    const reply = await getJson<HeatReply>(`${heat}?${new URLSearchParams({ key: this.key })}`);
    return { run, reply };
  }

  private async readOverlay(runs: readonly RunInfo[]): Promise<Overlay> {
    const query = new URLSearchParams({ key: this.key });
    const { step, isNewest } = this.stepper;
    if (step !== undefined && !isNewest) query.set("step", String(step)); // else the newest of each
    for (const { uid } of runs) query.append("run", uid);
    const reply = await getJson<OverlayReply>(`${this.stage.urls.histograms}?${query}`);
    this.stepper.offer(reply.steps);
    const shapes = runs.flatMap((run) => {
      const found = entryOf(reply.runs, run.uid);
      if (!found) return [];
      return [{ run, ...found, shares: sharesOf(found.counts) }];
    });
    return { edges: reply.edges, shapes };
  }

  private lay(): void {
    const { heat, overlay } = this;
    const having = heat ? Number(heat.reply.steps.length > 0) : (overlay?.shapes.length ?? 0);
    const all = this.runs.length;
    if (!this.stage.isRunPage && all > 1)
      this.head.say(having < all ? word("runsShownOf", { n: having, all }) : word("runsShown", { n: all }));
    else this.head.say("");
    this.tools.hidden = !overlay || this.stepper.element.hidden;
    if (!having && this.tools.hidden) {
      note(this.body, word("noMediaHere"));
      return;
    }
    if (!this.plot.isConnected) this.body.replaceChildren(this.tools, this.plot);
    this.show();
  }

  private show(): void {
    const ctx = canvasIn(this.plot);
    if (!ctx) return;
    const canvas = this.plot.querySelector("canvas") as HTMLCanvasElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${word("kind_histogram")} ${this.key}`);
    this.paint(ctx, 0, this.plot.clientWidth, this.plot.clientHeight);
  }

  private paint(ctx: Surface, top: number, width: number, height: number): void {
    const across = { log: false, from: LEFT, to: width - RIGHT };
    const down = { log: false, from: height - BELOW, to: ABOVE };
    if (this.heat?.reply.steps.length) {
      const { steps, edges } = this.heat.reply;
      this.x = { ...across, min: steps[0] ?? 0, max: endsOf(steps).at(-1) ?? 1 };
      this.y = { ...down, min: edges[0] ?? 0, max: edges.at(-1) ?? 1 };
      paintPlot(ctx, top, this.x, this.y, "step", ticksOf(this.y, "number", 34));
      this.paintHeat(ctx, top, this.heat, this.x, this.y);
    } else if (this.overlay?.shapes.length) {
      const { edges, shapes } = this.overlay;
      const most = Math.max(...shapes.flatMap(({ shares }) => shares), 1e-12);
      this.x = { ...across, min: edges[0] ?? 0, max: edges.at(-1) ?? 1 };
      this.y = { ...down, min: 0, max: most * 1.04 };
      paintPlot(ctx, top, this.x, this.y, "number", percentTicks(this.y));
      this.paintShapes(ctx, top, this.overlay, this.x, this.y);
    }
  }

  private colorOf(run: RunInfo): string {
    return inkOf(run.color);
  }

  /** Each step a column until the next; its fullest bin is darkest. */
  private paintHeat(ctx: Surface, top: number, { run, reply }: Heat, x: Scale, y: Scale): void {
    const ends = endsOf(reply.steps);
    ctx.fillStyle = this.colorOf(run);
    for (const [at, step] of reply.steps.entries()) {
      const [left, right] = [whole(x, step), whole(x, ends[at] ?? step)];
      const counts = reply.counts[at] ?? [];
      const most = Math.max(...counts, 1e-12);
      for (const [bin, count] of counts.entries()) {
        if (count <= 0) continue;
        const [low, high] = [whole(y, reply.edges[bin] ?? 0), whole(y, reply.edges[bin + 1] ?? 0)];
        ctx.globalAlpha = Math.sqrt(count / most);
        ctx.beginPath();
        ctx.rect(left, high + top, Math.max(1, right - left), Math.max(1, low - high));
        ctx.fill();
      }
    }
    ctx.globalAlpha = 1;
  }

  private paintShapes(ctx: Surface, top: number, { edges, shapes }: Overlay, x: Scale, y: Scale): void {
    const bottom = toPixel(y, 0) + top;
    for (const { run, shares } of shapes) {
      ctx.fillStyle = this.colorOf(run);
      ctx.strokeStyle = this.colorOf(run);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(toPixel(x, edges[0] ?? 0), bottom);
      for (const [bin, share] of shares.entries()) {
        const above = toPixel(y, share) + top;
        ctx.lineTo(toPixel(x, edges[bin] ?? 0), above);
        ctx.lineTo(toPixel(x, edges[bin + 1] ?? 0), above);
      }
      ctx.lineTo(toPixel(x, edges.at(-1) ?? 0), bottom);
      ctx.globalAlpha = 0.14;
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.stroke();
    }
  }

  private tip(event: PointerEvent): void {
    const { x, y, heat, overlay } = this;
    const at = this.plot.getBoundingClientRect();
    const [left, above] = [event.clientX - at.left, event.clientY - at.top];
    if (!x || !y || left < x.from || left > x.to || above < y.to || above > y.from) {
      hideTip();
      return;
    }
    const edges = heat ? heat.reply.edges : (overlay?.edges ?? []);
    const bin = lastAtMost(edges.slice(0, -1), toValue(heat ? y : x, heat ? above : left));
    const range = `${formatValue(edges[bin] ?? 0)} – ${formatValue(edges[bin + 1] ?? 0)}`;
    if (heat) {
      const column = lastAtMost(heat.reply.steps, toValue(x, left));
      const count = heat.reply.counts[column]?.[bin] ?? 0;
      const step = heat.reply.steps[column] ?? 0;
      showTip(`${word("step")} ${formatValue(step)}`, [rowOf(heat.run, range, count, "")], {
        left: event.clientX,
        top: event.clientY,
      });
      return;
    }
    const shapes = overlay?.shapes ?? [];
    const found = shapes.map(({ run, step, counts, shares }) =>
      rowOf(run, run.name, counts[bin] ?? 0, `${formatPercent(shares[bin] ?? 0)} · ${word("step")} ${step}`),
    );
    showTip(range, found, { left: event.clientX, top: event.clientY });
  }
}

function paintPlot(ctx: Surface, top: number, x: Scale, y: Scale, axis: Axis, yTicks: readonly Tick[]): void {
  const xTicks = ticksOf(x, axis, 70);
  paintAxes(ctx, top, { x, y, xTicks, yTicks, margin: LEFT, gap: 7, hasUprights: false });
}

/** A place at the edge of a pixel: faint cells beside each other have no seams then. */
function whole(scale: Scale, value: number): number {
  return Math.round(toPixel(scale, value));
}

function rowOf({ color }: RunInfo, label: string, count: number, detail: string): TipRow {
  return { color, label, value: formatValue(Number(count.toPrecision(4))), detail, strong: false };
}

export const makeHistogram: MakePanel = (...given) => new HistogramPanel(...given);
