import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { FONT } from "../charts/plot";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import { collate, formatCount, formatValue } from "../lib/format";
import { word } from "../lib/words";
import { AllRunsPanel } from "./all-runs-panel";
import { extentOf, fitted } from "./axes";
import { canvasIn } from "./canvas";
import { cellText, shortColumn } from "./columns";
import { rows } from "./csv";
import { noneDrawn, note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunTable } from "./run-table";

interface Bar {
  label: string;
  color: number;
  value: number;
  low: number;
  high: number;
  count: number;
}

const THINNEST = 16;

/** One column as bars: of each run drawn, or the mean of each group of all runs with smallest and largest. */
class Bars extends AllRunsPanel {
  protected override readonly fewest = 1;
  private bars: Bar[] = [];

  private get groupBy(): string {
    return this.spec.groupBy ?? this.stage.layout.view.groupBy;
  }

  protected override columns(): string[] {
    const [column] = this.spec.columns ?? [];
    return column ? [column, this.groupBy].filter(Boolean) : [];
  }

  protected override show(table: RunTable): void {
    const [column = ""] = this.spec.columns ?? [];
    this.bars = this.groupBy ? this.groups(table, column) : this.runsDrawn(table, column);
    this.bars.sort((a, b) => b.value - a.value);
    this.head.say(this.about(table));
    if (!this.bars.length) {
      const { runs } = this.stage;
      note(this.body, runs.drawn().length || this.groupBy ? word("noPoints") : noneDrawn(runs));
      return;
    }
    const ctx = canvasIn(this.body);
    if (!ctx) return;
    this.paint(ctx, 0, this.body.clientWidth, this.body.clientHeight);
    this.listen();
  }

  /** Which runs the bars are over, and how many of the bars there is room for. */
  private about(table: RunTable): string {
    const { shown } = this.fitting(this.body.clientHeight);
    const over = this.groupBy
      ? `${shortColumn(this.groupBy)} · ${table.countText}`
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

  private runsDrawn(table: RunTable, column: string): Bar[] {
    const drawn = this.drawn();
    const { values } = table.measured(column);
    return table.runs.flatMap(({ uid, name, color }, at) => {
      const value = values[at] as number;
      if (!drawn.has(uid) || !Number.isFinite(value)) return [];
      const own = this.stage.runs.colorOf(uid, color);
      return [{ label: name, color: own, value, low: value, high: value, count: 1 }];
    });
  }

  private groups(table: RunTable, column: string): Bar[] {
    const groups = new Map<string, number[]>();
    const cells = table.cells(this.groupBy);
    for (const [at, value] of table.measured(column).values.entries()) {
      if (!Number.isFinite(value)) continue;
      const name = cellText(cells[at]) || "–";
      const known = groups.get(name);
      if (known) known.push(value);
      else groups.set(name, [value]);
    }
    const names = [...groups.keys()].sort(collate);
    return names.map((name, place) => {
      const found = groups.get(name) ?? [];
      const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
      const [low, high] = extentOf(found) ?? [mean, mean];
      const label = `${name} (${formatCount(found.length)})`;
      return { label, color: place % 8, value: mean, low, high, count: found.length };
    });
  }

  /** The bars that fit, and how high each is. */
  private fitting(height: number): { shown: Bar[]; step: number } {
    const room = height - 34;
    const shown = this.bars.slice(0, Math.max(1, Math.floor(room / THINNEST)));
    return { shown, step: Math.min(34, room / shown.length) };
  }

  private scale(width: number): Scale {
    const ends = this.bars.flatMap(({ low, high }) => [low, high]);
    const [min, max] = [Math.min(0, ...ends), Math.max(0, ...ends)];
    return {
      min,
      max: max === min ? min + 1 : max,
      log: false,
      from: Math.min(160, width * 0.4),
      to: width - 64,
    };
  }

  private paint(ctx: Surface, top: number, width: number, height: number): void {
    const colors = palette();
    const x = this.scale(width);
    const { shown, step } = this.fitting(height);
    ctx.font = FONT;
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
      ctx.fillStyle = colors.runs[bar.color] ?? colors.axis;
      ctx.beginPath();
      ctx.rect(Math.min(zero, end), middle - step * 0.34, Math.max(1, Math.abs(end - zero)), step * 0.68);
      ctx.fill();
      if (bar.count > 1) {
        ctx.strokeStyle = colors.text;
        ctx.beginPath();
        ctx.moveTo(toPixel(x, bar.low), middle);
        ctx.lineTo(toPixel(x, bar.high), middle);
        ctx.stroke();
      }
      ctx.fillStyle = colors.text;
      ctx.textAlign = "right";
      ctx.fillText(fitted(bar.label, x.from), x.from - 8, middle);
      ctx.fillStyle = colors.axis;
      ctx.textAlign = "left";
      ctx.fillText(
        formatValue(bar.value),
        Math.max(end, bar.count > 1 ? toPixel(x, bar.high) : end, zero) + 6,
        middle,
      );
    }
  }

  private listen(): void {
    const canvas = this.body.querySelector("canvas");
    if (!canvas || canvas.dataset.heard) return;
    canvas.dataset.heard = "";
    canvas.addEventListener("pointermove", (event) => {
      const { shown, step } = this.fitting(this.body.clientHeight);
      const bar = shown[Math.floor((event.offsetY - 6) / step)];
      if (!bar) {
        hideTip();
        return;
      }
      const [column = ""] = this.spec.columns ?? [];
      const detail = bar.count > 1 ? `${formatValue(bar.low)} … ${formatValue(bar.high)}` : "";
      const row = {
        color: bar.color,
        label: shortColumn(column),
        value: formatValue(bar.value),
        detail,
        strong: true,
      };
      showTip(bar.label, [row], event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerleave", hideTip);
  }
}

export const makeBar: MakePanel = (...given) => new Bars(...given);
