import type uPlot from "uplot";
import type { Series } from "./series";
import { smooth } from "./smooth";
import type { View } from "./view";

/** A point that cannot be drawn on the line: its place on x and what it was. */
export interface OddPoint {
  x: number;
  value: number;
}

export interface PlotData {
  /** x, upper edge, lower edge, raw line, shown line. */
  columns: uPlot.AlignedData;
  odd: OddPoint[];
  /** For each place in the columns its place in the series. */
  order: number[];
}

/** Put a series into the columns that uPlot draws, x ascending; non-finite values become gaps and odd points. */
export function plotData(series: Series, view: View): PlotData {
  const axis = { step: series.step, runtime: series.runtime, timestamp: series.timestamp }[view.xAxis];
  const order = ascending(axis);
  const x = order.map((i) => axis[i] as number);
  const drawable = (value: number | undefined) =>
    value !== undefined && Number.isFinite(value) && !(view.logY && value <= 0) ? value : null;
  const column = (values: number[]) => order.map((i) => drawable(values[i]));
  const raw = column(series.mean);
  const banded = view.band && series.count.some((count) => count > 1);
  const nothing = order.map(() => null);
  const odd = order
    .map((i, place) => ({ x: x[place] as number, value: oddest(series.mean[i], series.last[i]) }))
    .filter(({ value }) => !Number.isFinite(value));
  const columns: uPlot.AlignedData = [
    x,
    banded ? column(series.max) : nothing,
    banded ? column(series.min) : nothing,
    view.smoothing > 0 ? raw : nothing,
    smooth(raw, view.smoothing),
  ];
  return { columns, odd, order };
}

/** The mean leaves non-finite points of a bucket out; the last point may still tell of one. */
function oddest(mean = Number.NaN, last = mean): number {
  return Number.isFinite(mean) ? last : mean;
}

/** Places of the finite values in ascending order; a resumed run may log times that step back. */
function ascending(axis: number[]): number[] {
  const places: number[] = [];
  let sorted = true;
  for (let i = 0; i < axis.length; i += 1) {
    const value = axis[i] as number;
    if (!Number.isFinite(value)) continue;
    const previous = places.at(-1);
    if (previous !== undefined && (axis[previous] as number) > value) sorted = false;
    places.push(i);
  }
  if (!sorted) places.sort((a, b) => (axis[a] as number) - (axis[b] as number));
  return places;
}
