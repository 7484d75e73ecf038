import { palette } from "../charts/palette";
import type { Picture } from "../charts/picture";
import { type DrawnLine, drawPlot, FONT, frameOf, PLAIN } from "../charts/plot";
import { ticksOf, toPixel } from "../charts/scale";
import type { Surface } from "../charts/surface";
import { toNumber } from "../charts/wire";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { cellText } from "./columns";
import { rows } from "./csv";
import { tableKeyOf } from "./custom-spec";
import { gradient } from "./gradient";
import { type TableData, TablesOfRuns } from "./media";
import { failure, note, skeleton } from "./notes";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";
import { canvasIn } from "./values-panel";

type Fields = Record<string, string>;

/** A row of a run's table by the names that the chart knows. */
interface Datum {
  run: RunInfo;
  cells: Record<string, unknown>;
}

/** A chart of `wandb.plot`: the SDK's presets drawn here, each from the table that was logged with it. */
class Custom implements Panel {
  private data: Datum[] = [];
  private readonly tables: TablesOfRuns;
  private paint: ((ctx: Surface, top: number, width: number, height: number) => void) | null = null;
  private shownFor = "";
  private readonly preset: string;
  private readonly fields: Fields;
  private readonly strings: Fields;

  constructor(
    private readonly body: HTMLElement,
    spec: PanelSpec,
    private readonly stage: Stage,
    head: Head,
  ) {
    skeleton(body);
    this.tables = new TablesOfRuns(stage, tableKeyOf(spec.keys[0] ?? "", spec.chart));
    const config = (spec.chart?.panel_config ?? {}) as Record<string, unknown>;
    this.preset = String(config.panelDefId ?? "");
    this.fields = (config.fieldSettings ?? {}) as Fields;
    this.strings = (config.stringSettings ?? {}) as Fields;
    head.say(this.strings.title ?? "");
  }

  refresh(): void {
    const runs = this.stage.runs.drawn();
    const wanted = runs.map(({ uid, color }) => `${uid}:${color}`).join(" ");
    if (wanted === this.shownFor) this.draw();
    else {
      this.shownFor = wanted;
      void this.read(runs);
    }
  }

  destroy(): void {
    this.body.replaceChildren();
  }

  picture(): Picture | null {
    const { paint, body } = this;
    if (!paint) return null;
    const { clientWidth: width, clientHeight: height } = body;
    return { width, height, paint: (surface, top) => paint(surface, top, width, height) };
  }

  async csv(): Promise<string> {
    const columns = [...new Set(this.data.flatMap(({ cells }) => Object.keys(cells)))];
    return rows([
      ["run", ...columns],
      ...this.data.map(({ run, cells }) => [run.uid, ...columns.map((c) => cells[c])]),
    ]);
  }

  private async read(runs: RunInfo[]): Promise<void> {
    try {
      const tables = await this.tables.of(runs.map(({ uid }) => uid));
      this.data = tables.flatMap((table, i) => (table ? dataOf(runs[i] as RunInfo, table) : []));
      this.draw();
    } catch {
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private draw(): void {
    if (!this.data.length) {
      note(this.body, word(this.stage.runs.drawn().length ? "noPoints" : "noRunsDrawn"));
      return;
    }
    this.paint = this.painter();
    if (!this.paint) {
      note(this.body, word("unknownChart", { name: this.preset }));
      return;
    }
    const ctx = canvasIn(this.body);
    if (ctx) this.paint(ctx, 0, this.body.clientWidth, this.body.clientHeight);
  }

  private painter(): typeof this.paint {
    const { x = "x", y = "y", stroke = "" } = this.fields;
    switch (this.preset.replace(/\/v\d+$/, "")) {
      case "wandb/line":
        return this.lines(x, y, stroke);
      case "wandb/lineseries":
        return this.lines(
          this.fields.step ?? "step",
          this.fields.lineVal ?? "lineVal",
          this.fields.lineKey ?? "lineKey",
        );
      case "wandb/area-under-curve":
        return this.lines(x, y, this.fields.class ?? "class");
      case "wandb/scatter":
        return this.points(x, y);
      case "wandb/bar":
        return this.bars(
          this.data.map(({ run, cells }) => ({
            label: cellText(cells[this.fields.label ?? "label"]),
            value: toNumber(cells[this.fields.value ?? "value"]),
            color: run.color,
          })),
        );
      case "wandb/histogram":
        return this.bars(this.bins(this.fields.value ?? "value"));
      case "wandb/confusion_matrix":
        return this.matrix();
      default:
        return null;
    }
  }

  private lines(x: string, y: string, by: string): typeof this.paint {
    const groups = new Map<string, Datum[]>();
    for (const datum of this.data) {
      const name = `${datum.run.uid}\n${by ? cellText(datum.cells[by]) : ""}`;
      groups.set(name, [...(groups.get(name) ?? []), datum]);
    }
    const names = [...new Set(this.data.map(({ cells }) => (by ? cellText(cells[by]) : "")))];
    const isOne = new Set(this.data.map(({ run }) => run.uid)).size === 1;
    const drawn: DrawnLine[] = [...groups.entries()].map(([id, group], place) => {
      const points = group.map(({ cells }) => [toNumber(cells[x]), toNumber(cells[y])] as const);
      points.sort((a, b) => a[0] - b[0]);
      const { color, name } = (group[0] as Datum).run;
      return {
        id,
        label: [name, id.split("\n")[1]].filter(Boolean).join(" · "),
        color: isOne ? (color + place) % 8 : color,
        dash: isOne ? 0 : names.indexOf(id.split("\n")[1] ?? ""),
        x: Float64Array.from(points, ([at]) => at),
        y: Float64Array.from(points, ([, value]) => value),
        raw: null,
        low: null,
        high: null,
      };
    });
    return (ctx, top, width, height) => {
      const frame = frameOf(drawn, PLAIN, width, height);
      const moved = { ...frame.y, from: frame.y.from + top, to: frame.y.to + top };
      drawPlot(ctx, drawn, PLAIN, { ...frame, y: moved, top: frame.top + top, bottom: frame.bottom + top });
    };
  }

  private points(x: string, y: string): typeof this.paint {
    return (ctx, top, width, height) => {
      const colors = palette();
      const line = {
        ...{ id: "", label: "", color: 0, dash: 0, raw: null, low: null, high: null },
        x: Float64Array.from(this.data, ({ cells }) => toNumber(cells[x])).sort(),
        y: Float64Array.from(this.data, ({ cells }) => toNumber(cells[y])),
      };
      const frame = frameOf([line], PLAIN, width, height);
      const moved = { ...frame.y, from: frame.y.from + top, to: frame.y.to + top };
      const placed = { ...frame, y: moved, top: frame.top + top, bottom: frame.bottom + top };
      drawPlot(
        ctx,
        [],
        { ...PLAIN, xMin: frame.x.min, xMax: frame.x.max, yMin: moved.min, yMax: moved.max },
        placed,
      );
      for (const { run, cells } of this.data) {
        ctx.fillStyle = colors.runs[run.color] ?? colors.axis;
        ctx.beginPath();
        ctx.arc(
          toPixel(frame.x, toNumber(cells[x])),
          toPixel(moved, toNumber(cells[y])),
          3.5,
          0,
          2 * Math.PI,
        );
        ctx.fill();
      }
    };
  }

  /** Count values in as many bins as their number bears. */
  private bins(column: string): { label: string; value: number; color: number }[] {
    const values = this.data.map(({ cells }) => toNumber(cells[column])).filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const count = Math.max(1, Math.min(30, Math.ceil(Math.sqrt(values.length))));
    const width = (high - low) / count || 1;
    const bins = new Array<number>(count).fill(0);
    for (const value of values) {
      const at = Math.min(count - 1, Math.floor((value - low) / width));
      bins[at] = (bins[at] ?? 0) + 1;
    }
    const color = this.data[0]?.run.color ?? 0;
    return bins.map((value, i) => ({
      label: formatValue(Number((low + width * i).toPrecision(4))),
      value,
      color,
    }));
  }

  private bars(bars: { label: string; value: number; color: number }[]): typeof this.paint {
    return (ctx, top, width, height) => {
      const colors = palette();
      const most = Math.max(0, ...bars.map(({ value }) => value)) || 1;
      const least = Math.min(0, ...bars.map(({ value }) => value));
      const y = { min: least, max: most * 1.06, log: false, from: top + height - 26, to: top + 8 };
      const left = 48;
      const step = (width - left - 14) / bars.length;
      ctx.font = FONT;
      ctx.textBaseline = "middle";
      ctx.textAlign = "right";
      for (const { value, text } of ticksOf(y, "number", 34)) {
        const at = Math.round(toPixel(y, value)) + 0.5;
        ctx.strokeStyle = colors.grid;
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(left, at);
        ctx.lineTo(width - 14, at);
        ctx.stroke();
        ctx.fillStyle = colors.axis;
        ctx.fillText(text, left - 6, at);
      }
      ctx.textAlign = "center";
      const every = Math.ceil(54 / step);
      for (const [place, { label, value, color }] of bars.entries()) {
        const [zero, end] = [toPixel(y, 0), toPixel(y, value)];
        ctx.fillStyle = colors.runs[color] ?? colors.axis;
        ctx.beginPath();
        ctx.rect(
          left + step * (place + 0.1),
          Math.min(zero, end),
          step * 0.8,
          Math.max(1, Math.abs(end - zero)),
        );
        ctx.fill();
        ctx.fillStyle = colors.axis;
        if (place % every === 0)
          ctx.fillText(label.slice(0, 14), left + step * (place + 0.5), top + height - 12);
      }
    };
  }

  private matrix(): typeof this.paint {
    const { Actual = "Actual", Predicted = "Predicted", nPredictions = "nPredictions" } = this.fields;
    const run = this.data[0]?.run.uid;
    const own = this.data.filter((datum) => datum.run.uid === run);
    const names = [
      ...new Set(own.flatMap(({ cells }) => [cellText(cells[Actual]), cellText(cells[Predicted])])),
    ];
    const counts = own.map(({ cells }) => toNumber(cells[nPredictions]));
    const most = Math.max(1, ...counts);
    return (ctx, top, width, height) => {
      const colors = palette();
      const [left, side] = [84, Math.min(width - 100, height - 44)];
      const step = side / names.length;
      ctx.font = FONT;
      for (const [i, { cells }] of own.entries()) {
        const row = names.indexOf(cellText(cells[Actual]));
        const column = names.indexOf(cellText(cells[Predicted]));
        const count = counts[i] as number;
        ctx.fillStyle = gradient(count / most);
        ctx.beginPath();
        ctx.rect(left + column * step, top + 8 + row * step, step - 1, step - 1);
        ctx.fill();
        if (step < 22) continue;
        ctx.fillStyle = count / most > 0.6 ? "#111111" : "#ffffff";
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.fillText(formatValue(count), left + (column + 0.5) * step, top + 8 + (row + 0.5) * step);
      }
      ctx.fillStyle = colors.axis;
      for (const [i, name] of names.entries()) {
        ctx.textAlign = "right";
        ctx.textBaseline = "middle";
        ctx.fillText(name.slice(0, 12), left - 6, top + 8 + (i + 0.5) * step);
        ctx.textAlign = "center";
        ctx.textBaseline = "top";
        ctx.fillText(name.slice(0, Math.max(2, step / 7)), left + (i + 0.5) * step, top + 14 + side);
      }
    };
  }
}

function dataOf(run: RunInfo, { columns, data }: TableData): Datum[] {
  return data.map((row) => ({
    run,
    cells: Object.fromEntries(columns.map((name, i) => [String(name), row[i]])),
  }));
}

export const makeCustom: MakePanel = (...given) => new Custom(...given);
