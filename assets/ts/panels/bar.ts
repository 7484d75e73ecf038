import { COLORS, type Color, inkOf, palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { FONT } from "../charts/plot";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import { formatCount, formatValue } from "../lib/format";
import { word } from "../lib/words";
import { AllRunsPanel } from "./all-runs-panel";
import { fitted } from "./axes";
import { canvasIn } from "./canvas";
import { cellText, goalOf, shortColumn } from "./columns";
import { rows } from "./csv";
import { noneDrawn, note } from "./notes";
import type { MakePanel } from "./panel";
import { runCount } from "./run-count";
import type { RunTable } from "./run-table";
import type { RunGroup } from "./runs";
import type { View } from "./spec";
import { shownOf } from "./statistics";

interface Bar {
  /** Of the whole bar, on its tip. */
  label: string;
  /** Beside it, where there is little room. */
  short: string;
  color: Color;
  value: number;
  low: number;
  high: number;
  count: number;
}

const THINNEST = 16;

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
      this.bars = this.groupBars(table, column, groupOf);
    } else this.bars = this.runsDrawn(table, column);
    const sign = goalOf(this.stage, column) === "minimize" ? -1 : 1; // the best one stands first
    this.bars.sort((a, b) => sign * (b.value - a.value));
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
    const { shown } = this.fitting(this.body.clientHeight);
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

  private runsDrawn(table: RunTable, column: string): Bar[] {
    const drawn = this.drawn();
    const { values } = table.measured(column);
    return table.runs.flatMap(({ uid, name, color }, at) => {
      const value = values[at] as number;
      if (!drawn.has(uid) || !Number.isFinite(value)) return [];
      const own = this.stage.runs.colorOf(uid, color);
      return [{ label: name, short: name, color: own, value, low: value, high: value, count: 1 }];
    });
  }

  /** A group whose lines are drawn has their name and colour. */
  private groupBars(table: RunTable, column: string, groupOf: ReadonlyMap<string, RunGroup>): Bar[] {
    const { groupBy, groupLine, groupBand } = this.view;
    const cells = groupBy.map((name) => table.cells(name));
    const groups = new Map<string, { uids: string[]; found: number[] }>();
    for (const [at, value] of table.measured(column).values.entries()) {
      if (!Number.isFinite(value)) continue;
      const name = cells.map((column) => cellText(column[at]) || "–").join(" · ");
      const group = groups.get(name) ?? { uids: [], found: [] };
      group.uids.push(table.runs[at]?.uid ?? "");
      group.found.push(value);
      groups.set(name, group);
    }
    return [...groups].map(([name, { uids, found }], place) => {
      const drawn = uids.map((uid) => groupOf.get(uid)).find((group) => group !== undefined);
      const short = groupBy.length > 1 ? name : (drawn?.name ?? name);
      return {
        label: `${drawn?.name ?? name} (${runCount(found.length, found.length)})`,
        short,
        color: drawn?.color ?? place % COLORS,
        ...shownOf(found, groupLine, groupBand),
        count: found.length,
      };
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
      ctx.fillStyle = inkOf(bar.color);
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
      ctx.fillText(fitted(bar.short, x.from), x.from - 8, middle);
      ctx.fillStyle = colors.axis;
      ctx.textAlign = "left";
      ctx.fillText(
        formatValue(bar.value),
        Math.max(end, bar.count > 1 ? toPixel(x, bar.high) : end, zero) + 6,
        middle,
      );
    }
  }

  private tip(event: PointerEvent): void {
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
    showTip(bar.label, [row], { left: event.clientX, top: event.clientY });
  }
}

export const makeBar: MakePanel = (...given) => new Bars(...given);
