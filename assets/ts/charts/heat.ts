import { word } from "../lib/words";
import type { DrawnLine, Frame, Look } from "./frame";
import { keepBegin, widthOf } from "./letters";
import { textOf } from "./line-tip";
import { inkOf, palette } from "./palette";
import { drawBelow, plotFont } from "./plot";
import { type Scale, toPixel } from "./scale";
import type { Surface } from "./surface";

/** Width of a cell, pixels. */
const CELL = 3;
/** A point stands for the time until the next one, unless that is so many times the usual time. */
const LONGEST_GAP = 5;
/** Lower rows have no room for a name of their own, pixels. */
const LOWEST_NAMED = 12;
const TOP = 26;
const BELOW = 22;
const SHADES = 32;
const FAINTEST = 0.07;
const KEY_WIDTH = 96;

/** Values of lines in cells: a row for each line, a column for each part of x; NaN where there are none. */
export interface Heat {
  columns: number;
  cells: Float64Array;
  min: number;
  mean: number;
  max: number;
}

/** Find the scales of a heat map of this size, pixels. */
export function heatFrameOf(lines: readonly DrawnLine[], look: Look, width: number, height: number): Frame {
  let [first, last] = [Infinity, -Infinity];
  for (const { x } of lines) {
    first = Math.min(first, x[0] ?? Infinity);
    last = Math.max(last, x[x.length - 1] ?? -Infinity);
  }
  const [min, max] = [look.xMin ?? first, look.xMax ?? last];
  const bottom = height - BELOW;
  const rows = Math.max(1, lines.length);
  const isNamed = (bottom - TOP) / rows >= LOWEST_NAMED;
  const names = isNamed ? lines.map(({ label }) => label) : lines.map(groupOf);
  const longest = Math.max(widthOf("00"), ...names.map(widthOf));
  const left = Math.min(width / 3, longest + 12);
  const right = width - 14;
  const x: Scale = { min, max: max > min ? max : min + 1, log: false, from: left, to: right };
  const y: Scale = { min: 0, max: rows, log: false, from: TOP, to: bottom };
  return { x, y, left, top: TOP, right, bottom };
}

/** Put the values of lines into cells. */
export function heatOf(lines: readonly DrawnLine[], frame: Frame): Heat {
  const columns = Math.max(1, Math.floor((frame.right - frame.left) / CELL));
  const cells = new Float64Array(lines.length * columns).fill(Number.NaN);
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (const [row, line] of lines.entries()) {
    const part = cells.subarray(row * columns, (row + 1) * columns);
    fill(part, line, frame.x);
    for (const value of part) {
      if (Number.isNaN(value)) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
      count += 1;
    }
  }
  return { columns, cells, min, mean: sum / count, max };
}

/** The mean of the points in each cell of a row; each point lasts until the next one. */
function fill(cells: Float64Array, { x, y }: DrawnLine, scale: Scale): void {
  const counts = new Uint32Array(cells.length);
  const width = (scale.max - scale.min) / cells.length;
  const columnOf = (at: number) => Math.floor((at - scale.min) / width);
  const usual = ((x[x.length - 1] as number) - (x[0] as number)) / Math.max(1, x.length - 1);
  for (let i = 0; i < x.length; i += 1) {
    const [at, value] = [x[i] as number, y[i] as number];
    if (!Number.isFinite(value) || at > scale.max) continue;
    const next = x[i + 1] ?? at + usual;
    const from = columnOf(at);
    const to = next - at > LONGEST_GAP * usual ? from : Math.max(from, columnOf(next) - 1);
    for (let column = Math.max(0, from); column <= Math.min(to, cells.length - 1); column += 1) {
      const before = counts[column] as number;
      cells[column] = before ? ((cells[column] as number) * before + value) / (before + 1) : value;
      counts[column] = before + 1;
    }
  }
}

/** The ends of the color scale: all of a percentage, else what there is. */
export function rangeOf(heat: Heat, { unit, clamped, yMin, yMax }: Look): [number, number] {
  if (unit === "%" && clamped) return [0, 100];
  const [low, high] = [yMin ?? heat.min, yMax ?? heat.max];
  if (high > low) return [low, high];
  return low < 0 ? [low, 0] : [0, high > 0 ? high : 1];
}

/** Draw rows of cells, deeper where values are larger, with their names and a key. */
export function drawHeat(ctx: Surface, lines: readonly DrawnLine[], look: Look, frame: Frame): void {
  const colors = palette();
  const heat = heatOf(lines, frame);
  drawCells(ctx, lines, heat, frame, rangeOf(heat, look));
  ctx.font = plotFont();
  ctx.setLineDash([]);
  drawNames(ctx, lines, frame);
  drawBelow(ctx, frame, look, colors);
  drawKey(ctx, lines, look, heat, frame);
}

type Rect = [left: number, top: number, width: number, height: number];

function drawCells(
  ctx: Surface,
  lines: readonly DrawnLine[],
  { columns, cells }: Heat,
  frame: Frame,
  [low, high]: [number, number],
): void {
  const shades = new Map<string, Map<number, Rect[]>>();
  const width = (frame.right - frame.left) / columns;
  const edge = (column: number) => Math.round(frame.left + column * width);
  const shadeOf = (value: number) =>
    Math.round(Math.max(0, Math.min(1, (value - low) / (high - low))) * SHADES);
  for (const [row, line] of lines.entries()) {
    const top = Math.round(toPixel(frame.y, row));
    const gap = groupOf(line) === groupOf(lines[row + 1]) ? 0 : 1;
    const height = Math.max(1, Math.round(toPixel(frame.y, row + 1)) - top - gap);
    const ink = inkOf(line.color);
    const ofInk = shades.get(ink) ?? new Map<number, Rect[]>();
    shades.set(ink, ofInk);
    for (let column = 0; column < columns; ) {
      const value = cells[row * columns + column] as number;
      const from = column;
      if (Number.isNaN(value)) {
        column += 1;
        continue;
      }
      const shade = shadeOf(value);
      while (column < columns && shadeOf(cells[row * columns + column] as number) === shade) column += 1;
      const rects = ofInk.get(shade) ?? [];
      ofInk.set(shade, rects);
      rects.push([edge(from), top, edge(column) - edge(from), height]);
    }
  }
  for (const [ink, ofInk] of shades) {
    ctx.fillStyle = ink;
    for (const [shade, rects] of ofInk) {
      ctx.globalAlpha = alphaOf(shade / SHADES);
      ctx.beginPath();
      for (const rect of rects) ctx.rect(...rect);
      ctx.fill();
    }
  }
  ctx.globalAlpha = 1;
}

function alphaOf(part: number): number {
  return FAINTEST + (1 - FAINTEST) * part;
}

/** Name each row, or each node where rows are too low. */
function drawNames(ctx: Surface, lines: readonly DrawnLine[], frame: Frame): void {
  const height = (frame.bottom - frame.top) / Math.max(1, lines.length);
  ctx.fillStyle = palette().axis;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const write = (name: string, row: number, rows: number) => {
    ctx.fillText(keepBegin(name, frame.left - 10), frame.left - 6, toPixel(frame.y, row + rows / 2));
  };
  if (height >= LOWEST_NAMED) {
    for (const [row, { label }] of lines.entries()) write(label, row, 1);
    return;
  }
  for (let row = 0; row < lines.length; ) {
    let rows = 1;
    while (row + rows < lines.length && groupOf(lines[row + rows]) === groupOf(lines[row])) rows += 1;
    if (rows * height >= LOWEST_NAMED) write(groupOf(lines[row]), row, rows);
    row += rows;
  }
}

/** What the shades are: smallest, mean and largest value. */
function drawKey(ctx: Surface, [first]: readonly DrawnLine[], look: Look, heat: Heat, frame: Frame): void {
  if (!first || !(heat.min <= heat.max)) return;
  const [low, high] = rangeOf(heat, look);
  const text = (value: number) => textOf(value, look.unit);
  const width = Math.min(KEY_WIDTH, (frame.right - frame.left) / 4);
  const [top, height] = [frame.top - 18, 8];
  const right = frame.right - widthOf(text(high)) - 12;
  ctx.fillStyle = inkOf(first.color);
  for (let part = 0; part < SHADES; part += 1) {
    const from = Math.round(right - width + (width * part) / SHADES);
    ctx.globalAlpha = alphaOf(part / SHADES);
    ctx.beginPath();
    ctx.rect(from, top, Math.round(right - width + (width * (part + 1)) / SHADES) - from, height);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette().axis;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.fillText(text(high), frame.right, top + height / 2);
  ctx.fillText(text(low), right - width - 6, top + height / 2);
  const said = `${word("tipMean")} ${text(heat.mean)} · ${text(heat.min)} – ${text(heat.max)}`;
  if (widthOf(said) > right - width - widthOf(text(low)) - 24) return;
  ctx.textAlign = "left";
  ctx.fillText(said, 12, top + height / 2);
}

/** The node that a device is of, where rows are named by both. */
function groupOf(line: DrawnLine | undefined): string {
  const [node = "", device] = (line?.label ?? "").split(" · ");
  return device === undefined ? "" : node;
}
