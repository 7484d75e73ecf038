import type uPlot from "uplot";
import { formatDuration, formatMoment, formatTick, formatValue } from "../lib/format";
import type { XAxis } from "./view";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const RUNTIME_STEPS = [
  1,
  2,
  5,
  10,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  10 * DAY,
  30 * DAY,
];
const FONT = '11px "Inter Variable", system-ui, sans-serif';

/** Colours of a chart, read from the tokens. */
export interface Palette {
  line: string;
  axis: string;
  grid: string;
  odd: string;
}

/** Read the colours that hold at `element` now. */
export function paletteAt(element: Element): Palette {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: token("--run-color"),
    axis: token("--axis"),
    grid: token("--grid"),
    odd: token("--state-failed"),
  };
}

/** The two axes; colours are asked for at each drawing, so that a change of theme only needs a redraw. */
export function axesFor(xAxis: XAxis, palette: () => Palette): uPlot.Axis[] {
  const look = {
    font: FONT,
    stroke: () => palette().axis,
    grid: { stroke: () => palette().grid, width: 1 },
    ticks: { show: false },
  };
  const x: uPlot.Axis = { ...look, grid: { show: false }, size: 26, gap: 4, space: 64 };
  if (xAxis === "step") {
    x.incrs = [1, 2, 5]
      .flatMap((n) => Array.from({ length: 13 }, (_, power) => n * 10 ** power))
      .sort((a, b) => a - b);
    x.values = (_plot, splits) => splits.map((value) => formatTick(value));
  } else if (xAxis === "runtime") {
    x.incrs = RUNTIME_STEPS;
    x.values = (_plot, splits) => splits.map(shortDuration);
  }
  const y: uPlot.Axis = {
    ...look,
    gap: 6,
    space: 34,
    size: (_plot, values) =>
      Math.max(34, Math.max(0, ...(values ?? []).map((text) => (text ?? "").length)) * 6.4 + 14),
    values: (_plot, splits, _axis, _space, step) =>
      splits.map((value) =>
        value === null ? "" : formatTick(value, Math.max(...splits.map(Math.abs)), step),
      ),
  };
  return [x, y];
}

function shortDuration(seconds: number): string {
  if (seconds === 0) return "0";
  return formatDuration(seconds)
    .replace(/(?:\s0+[hms])+$/, "")
    .replace(/ 0(\d)/g, " $1");
}

/** Say where on x a value lies. */
export function formatX(xAxis: XAxis, value: number, stepWord: string): string {
  if (xAxis === "runtime") return formatDuration(value);
  if (xAxis === "timestamp") return formatMoment(value);
  return `${stepWord} ${formatValue(value)}`;
}
