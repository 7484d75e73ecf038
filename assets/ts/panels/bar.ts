import { inkOf, palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { plotFont } from "../charts/plot";
import { ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import { formatCount, formatValue } from "../lib/format";
import { word } from "../lib/words";
import { AllRunsPanel } from "./all-runs-panel";
import { fitted } from "./axes";
import { type Bar, barsOfGroups, barsOfRuns, bestFirst, fitting, hasBand, scaleOf } from "./bars";
import { canvasIn } from "./canvas";
import { goalOf, shortColumn } from "./columns";
import { rows } from "./csv";
import { noneDrawn, note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunTable } from "./run-table";
import type { View } from "./spec";

/** One column as bars: of each run drawn, or of each group of all runs, with its band as a line. */
class Bars extends AllRunsPanel {
  protected override readonly fewest = 1;
  private bars: Bar[] = [];

  private get view(): View {
    return this.stage.layout.viewOf(this.spec);
  }

  protected override columns(): string[] {
    const [column] = this.spec.columns ?? [];
    return column ? [column, ...this.view.groupBy] : [];
  }

  protected override async show(table: RunTable): Promise<void> {
    const [column = ""] = this.spec.columns ?? [];
    const { groupBy } = this.view;
    if (groupBy.length) {
      const groupOf = await this.stage.groups(groupBy);
      if (!this.body.isConnected) return; // it went meanwhile
      this.bars = barsOfGroups(table, column, this.view, groupOf);
    } else {
      const { runs } = this.stage;
      this.bars = barsOfRuns(table, column, this.drawn(), (uid, color) => runs.colorOf(uid, color));
    }
    this.bars = bestFirst(this.bars, goalOf(this.stage, column));
    this.head.say(this.about(table));
    if (!this.bars.length) {
      const { runs } = this.stage;
      note(this.body, runs.drawn().length || groupBy.length ? word("noPoints") : noneDrawn(runs));
      return;
    }
    const ctx = canvasIn(this.body);
    if (!ctx) return;
    this.paint(ctx, 0, this.body.clientWidth, this.body.clientHeight);
    this.onPointer((event) => this.tip(event));
  }

  /** Which runs the bars are over, and how many of the bars there is room for. */
  private about(table: RunTable): string {
    const { shown } = fitting(this.bars, this.body.clientHeight);
    const { groupBy } = this.view;
    const over = groupBy.length
      ? `${groupBy.map(shortColumn).join(", ")} · ${table.countText}`
      : word("drawnRuns", { n: this.stage.runs.drawn().length });
    if (shown.length >= this.bars.length) return over;
    return `${word("largestOf", { n: shown.length, of: formatCount(this.bars.length) })} · ${over}`;
  }

  override picture(): Picture | null {
    const { clientWidth: width, clientHeight: height } = this.body;
    return { width, height, paint: (surface, top) => this.paint(surface, top, width, height) };
  }

  override async csv(): Promise<string> {
    const [column = ""] = this.spec.columns ?? [];
    return rows([
      ["name", `${column}/mean`, `${column}/min`, `${column}/max`, "count"],
      ...this.bars.map(({ label, value, low, high, count }) => [label, value, low, high, count]),
    ]);
  }

  private paint(ctx: Surface, top: number, width: number, height: number): void {
    const colors = palette();
    const x = scaleOf(this.bars, width);
    const { shown, step } = fitting(this.bars, height);
    ctx.font = plotFont();
    ctx.lineWidth = 1;
    ctx.textBaseline = "top";
    ctx.textAlign = "center";
    for (const { value, text } of ticksOf(x, "number", 70)) {
      const at = Math.round(toPixel(x, value)) + 0.5;
      ctx.strokeStyle = colors.grid;
      ctx.beginPath();
      ctx.moveTo(at, top + 4);
      ctx.lineTo(at, top + height - 24);
      ctx.stroke();
      ctx.fillStyle = colors.axis;
      ctx.fillText(text, at, top + height - 18);
    }
    ctx.textBaseline = "middle";
    for (const [place, bar] of shown.entries()) {
      const middle = top + 6 + step * (place + 0.5);
      const [zero, end] = [toPixel(x, 0), toPixel(x, bar.value)];
      ctx.fillStyle = inkOf(bar.color);
      ctx.beginPath();
      ctx.rect(Math.min(zero, end), middle - step * 0.34, Math.max(1, Math.abs(end - zero)), step * 0.68);
      ctx.fill();
      const isBanded = hasBand(bar);
      if (isBanded) {
        ctx.strokeStyle = colors.text;
        ctx.beginPath();
        ctx.moveTo(toPixel(x, bar.low), middle);
        ctx.lineTo(toPixel(x, bar.high), middle);
        ctx.stroke();
      }
      ctx.fillStyle = colors.text;
      ctx.textAlign = "right";
      ctx.fillText(fitted(bar.short, x.from), x.from - 8, middle);
      ctx.fillStyle = colors.axis;
      ctx.textAlign = "left";
      ctx.fillText(
        formatValue(bar.value),
        Math.max(end, isBanded ? toPixel(x, bar.high) : end, zero) + 6,
        middle,
      );
    }
  }

  private tip(event: PointerEvent): void {
    const { shown, step } = fitting(this.bars, this.body.clientHeight);
    const bar = shown[Math.floor((event.offsetY - 6) / step)];
    if (!bar) {
      hideTip();
      return;
    }
    const [column = ""] = this.spec.columns ?? [];
    const detail = hasBand(bar) ? `${formatValue(bar.low)} … ${formatValue(bar.high)}` : "";
    const row = {
      color: bar.color,
      label: shortColumn(column),
      value: formatValue(bar.value),
      detail,
      strong: true,
    };
    showTip(bar.label, [row], { left: event.clientX, top: event.clientY });
  }
}

export const makeBar: MakePanel = (...given) => new Bars(...given);
