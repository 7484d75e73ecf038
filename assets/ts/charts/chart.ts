import uPlot from "uplot";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { axesFor, formatX, type Palette, paletteAt } from "./axes";
import { type PlotData, plotData } from "./plot-data";
import type { Series } from "./series";
import { moveTip, type Tip } from "./tip";
import type { View } from "./view";

const SHOWN = 4;
/** Fewer points than this are marked with dots, pixels per point. */
const DOT_SPACE_PX = 18;

export interface ChartOptions {
  height: number;
  view: View;
  /** Written to the chart's header: value and place under the crosshair; null when the pointer left. */
  readout(tip: Tip | null): void;
}

/** One uPlot of one series, with band, smoothed line over the faint original, crosshair and odd points. */
export class Chart {
  private readonly plot: uPlot;
  private data: PlotData;
  private palette: Palette;

  constructor(
    private readonly box: HTMLElement,
    private series: Series,
    private readonly options: ChartOptions,
  ) {
    this.palette = paletteAt(box);
    this.data = plotData(series, options.view);
    this.plot = new uPlot(this.plotOptions(), this.data.columns, box);
  }

  /** Show what the series holds now. */
  update(series: Series): void {
    this.series = series;
    this.data = plotData(series, this.options.view);
    const { min, max } = this.plot.scales.x ?? {};
    const first = this.plot.data[0]?.[0];
    const last = this.plot.data[0]?.at(-1);
    const zoomed = min != null && max != null && first != null && last != null && (min > first || max < last);
    this.plot.setData(this.data.columns, !zoomed);
    if (zoomed) this.plot.setScale("x", { min, max });
  }

  /** Read the colours again after a change of theme. */
  recolor(): void {
    this.palette = paletteAt(this.box);
    this.plot.redraw(false, true);
  }

  resize(): void {
    this.plot.setSize({ width: this.box.clientWidth, height: this.options.height });
  }

  destroy(): void {
    this.plot.destroy();
  }

  private plotOptions(): uPlot.Options {
    const { view, height } = this.options;
    const faint = (alpha: number) => () => withAlpha(this.palette.line, alpha);
    const hidden = { points: { show: false } };
    return {
      width: this.box.clientWidth,
      height,
      padding: [10, 18, 0, 0],
      legend: { show: false },
      scales: { x: { time: view.xAxis === "timestamp" }, y: view.logY ? { distr: 3, log: 10 } : {} },
      axes: axesFor(view.xAxis, () => this.palette),
      bands: [{ series: [1, 2], fill: faint(0.16) as unknown as uPlot.Series.Fill }],
      series: [
        {},
        { ...hidden, width: 0 },
        { ...hidden, width: 0 },
        { ...hidden, stroke: faint(0.3), width: 1 },
        {
          stroke: () => this.palette.line,
          width: 1.5,
          points: {
            size: 5,
            width: 0,
            fill: () => this.palette.line,
            show: (plot, _series, first, last) =>
              (last - first) * DOT_SPACE_PX < plot.bbox.width / devicePixelRatio,
            filter: (plot, index, show, gaps) => (show ? null : lonely(plot, index, gaps)),
          },
        },
      ],
      cursor: {
        y: false,
        sync: { key: "run" },
        drag: { x: true, y: false },
        points: {
          size: 7,
          width: 0,
          fill: (_plot, index) => (index === SHOWN ? this.palette.line : "transparent"),
        },
      },
      hooks: { draw: [() => this.drawOdd()], setCursor: [() => this.point()] },
    };
  }

  private point(): void {
    const { idx } = this.plot.cursor;
    const hovered = this.plot.over.matches(":hover");
    const tip = idx == null || (this.plot.cursor.left ?? -1) < 0 ? null : this.tipAt(idx);
    this.options.readout(tip);
    moveTip(this.plot, hovered ? tip : null);
  }

  private tipAt(place: number): Tip {
    const { view } = this.options;
    const i = this.data.order[place] ?? 0;
    const value = this.series.mean[i] ?? Number.NaN;
    const shown = this.plot.data[SHOWN]?.[place];
    const count = this.series.count[i] ?? 1;
    const text = Number.isFinite(value) ? formatValue(shown ?? value) : String(value);
    const details: string[] = [];
    if (view.smoothing > 0 && Number.isFinite(value))
      details.push(word("original", { value: formatValue(value) }));
    if (count > 1) {
      const [min, max] = [formatValue(this.series.min[i] ?? value), formatValue(this.series.max[i] ?? value)];
      details.push(word("minMax", { min, max, count }));
    }
    return { x: formatX(view.xAxis, this.plot.data[0][place] as number, word("step")), value: text, details };
  }

  /** Mark values that the line cannot show at the edge: ▲ top +∞, ▼ bottom −∞, ◆ bottom NaN. */
  private drawOdd(): void {
    const { ctx, bbox } = this.plot;
    const size = 5 * devicePixelRatio;
    ctx.save();
    ctx.fillStyle = this.palette.odd;
    for (const { x, value } of this.data.odd) {
      const left = this.plot.valToPos(x, "x", true);
      if (left < bbox.left || left > bbox.left + bbox.width) continue;
      const top = value === Infinity ? bbox.top + size : bbox.top + bbox.height - size;
      ctx.beginPath();
      if (value !== -Infinity) ctx.lineTo(left, top - size);
      ctx.lineTo(left + size, top);
      if (value !== Infinity) ctx.lineTo(left, top + size);
      ctx.lineTo(left - size, top);
      ctx.fill();
    }
    ctx.restore();
  }
}

/** Points with gaps on both sides: no line shows them, so they need a dot. */
function lonely(plot: uPlot, index: number, gaps: null | undefined | number[][]): number[] | null {
  if (!gaps?.length) return null;
  const values = plot.data[index] ?? [];
  const places: number[] = [];
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) places.push(i);
  }
  return places;
}

/** Colours are `#rrggbb` in the tokens; a canvas may not know `color-mix`. */
function withAlpha(color: string, alpha: number): string {
  return `${color}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0")}`;
}
