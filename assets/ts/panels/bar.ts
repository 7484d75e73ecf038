import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { FONT } from "../charts/plot";
import { type Scale, ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { hideTip, showTip } from "../charts/tip";
import type { ValuesReply } from "../charts/wire";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { numberOf, shortColumn } from "./columns";
import { rows } from "./csv";
import { sizeText } from "./groups";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunGroup, RunInfo } from "./runs";
import type { View } from "./spec";
import { shownOf } from "./statistics";
import { canvasIn, ValuesPanel } from "./values-panel";

interface Bar {
  /** Of the whole bar, on its tip. */
  label: string;
  /** Beside it, where there is little room. */
  short: string;
  color: number;
  value: number;
  low: number;
  high: number;
  count: number;
}

const THINNEST = 16;

/** One column as bars: of each run, or of each group, with its band as a line. */
class Bars extends ValuesPanel {
  private bars: Bar[] = [];
  private groupOf: ReadonlyMap<string, RunGroup> = new Map();

  private get view(): View {
    return this.stage.layout.viewOf(this.spec);
  }

  protected override columns(): string[] {
    return (this.spec.columns ?? []).slice(0, 1).filter(Boolean);
  }

  protected override async show(runs: RunInfo[], values: ValuesReply["runs"]): Promise<void> {
    const [column = ""] = this.spec.columns ?? [];
    const known = runs.filter(({ uid }) => Number.isFinite(numberOf(values, uid, column)));
    const { groupBy } = this.view;
    if (groupBy.length) {
      this.groupOf = await this.stage.groups(groupBy);
      if (!this.body.isConnected) return; // it went meanwhile
    }
    this.bars = groupBy.length
      ? this.groupBars(known, values, column)
      : known.map((run) => barOf(run, values, column));
    this.bars.sort((a, b) => b.value - a.value);
    if (!this.bars.length) {
      note(this.body, word("noPoints"));
      return;
    }
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
    const [column = ""] = this.spec.columns ?? [];
    return rows([
      ["name", `${column}/${this.view.groupLine}`, `${column}/low`, `${column}/high`, "count"],
      ...this.bars.map(({ label, value, low, high, count }) => [label, value, low, high, count]),
    ]);
  }

  private groupBars(runs: RunInfo[], values: ValuesReply["runs"], column: string): Bar[] {
    const groups = new Map<string, { group: RunGroup; found: number[] }>();
    for (const { uid } of runs) {
      const group = this.groupOf.get(uid);
      if (!group) continue;
      const { found } = groups.get(group.path) ?? { found: [] };
      groups.set(group.path, { group, found: [...found, numberOf(values, uid, column)] });
    }
    const { groupBy, groupLine, groupBand } = this.view;
    return [...groups.values()].map(({ group, found }) => {
      const label = `${group.name} (${sizeText(found.length, group.count)})`;
      const short = groupBy.length > 1 ? group.values : group.name;
      return {
        label,
        short,
        color: group.color,
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
    const ends = this.bars.flatMap(({ value, low, high }) => [value, low, high].filter(Number.isFinite));
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
      if (bar.high > bar.low) {
        ctx.strokeStyle = colors.text;
        ctx.beginPath();
        ctx.moveTo(toPixel(x, bar.low), middle);
        ctx.lineTo(toPixel(x, bar.high), middle);
        ctx.stroke();
      }
      ctx.fillStyle = colors.text;
      ctx.textAlign = "right";
      ctx.fillText(cut(bar.short, x.from / 6.2), x.from - 8, middle);
      ctx.fillStyle = colors.axis;
      ctx.textAlign = "left";
      ctx.fillText(
        formatValue(bar.value),
        Math.max(end, bar.high > bar.low ? toPixel(x, bar.high) : end, zero) + 6,
        middle,
      );
    }
  }

  private detailOf({ low, high }: Bar): string {
    const { groupBand } = this.view;
    if (groupBand === "range") return `${formatValue(low)} … ${formatValue(high)}`;
    return `± ${formatValue((high - low) / 2)}`;
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
      const detail = bar.high > bar.low ? this.detailOf(bar) : "";
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

function barOf(run: RunInfo, values: ValuesReply["runs"], column: string): Bar {
  const value = numberOf(values, run.uid, column);
  return { label: run.name, short: run.name, color: run.color, value, low: value, high: value, count: 1 };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(1, Math.floor(most) - 1))}…` : text;
}

export const makeBar: MakePanel = (...given) => new Bars(...given);
