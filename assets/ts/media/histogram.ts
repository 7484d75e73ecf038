import { make } from "../lib/dom";
import { formatCount, formatTick, formatValue } from "../lib/format";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import type { Drawing, HeatReply } from "./wire";

const BARS_HEIGHT = 140;
const HEAT_HEIGHT = 96;
/** How many heat maps are kept. */
const KEPT = 100;

const heats = new Map<string, Promise<HeatReply>>();

/** Forget what was read: the run has gone on. */
export function forgetHeat(): void {
  heats.clear();
}

/** Bars of one step, above the histogram of every step as a heat map; a click there goes to its step. */
export function histogram(value: Record<string, unknown>, drawing: Drawing): HTMLElement {
  const box = make("div", "media-histogram");
  const parts = partsOf(value);
  if (!parts) {
    box.append(make("p", "muted", word("noHistogram")));
    return box;
  }
  const bars = make("canvas");
  const heat = make("canvas", "media-heat");
  const note = make("div", "media-axis num");
  const shown = withWidth(parts);
  const low = shown.edges[0] ?? 0;
  const high = shown.edges.at(-1) ?? 1;
  note.append(make("span", "", formatTick(low)), make("span", "", formatTick(high)));
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", describe(parts));
  bars.title = describe(parts);
  box.append(bars, note, heat);
  const draw = () => drawBars(bars, shown.counts);
  new ResizeObserver(draw).observe(bars);
  void heatOf(drawing).then(
    (reply) => showHeat(heat, reply, drawing),
    () => heat.remove(),
  );
  return box;
}

export interface Parts {
  counts: number[];
  edges: number[];
}

/** Counts and the edges between them, one more; null for what is no histogram. */
export function partsOf(value: Record<string, unknown>): Parts | null {
  const { values, bins, packedBins } = value as {
    values?: number[];
    bins?: number[];
    packedBins?: { min: number; size: number; count: number };
  };
  if (!Array.isArray(values) || !values.length) return null;
  if (Array.isArray(bins) && bins.length === values.length + 1) return { counts: values, edges: bins };
  if (!packedBins) return null;
  return {
    counts: values,
    edges: Array.from({ length: values.length + 1 }, (_, i) => packedBins.min + i * packedBins.size),
  };
}

/** Bars on both sides of that of equal values, whose bins have no width. */
const BESIDE = 32;

/** Bins as they are drawn: equal values in the middle of the range that the server gives them, too. */
export function withWidth(parts: Parts): Parts {
  const value = parts.edges[0] ?? 0;
  if (parts.edges.at(-1) !== value) return parts;
  const around = Math.abs(value) / 2 || 0.5;
  const nothing = new Array<number>(BESIDE).fill(0);
  const all = parts.counts.reduce((sum, count) => sum + count, 0);
  return { counts: [...nothing, all, ...nothing], edges: [value - around, value + around] };
}

function describe({ counts, edges }: Parts): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const low = formatValue(edges[0] ?? 0);
  const high = formatValue(edges.at(-1) ?? 0);
  return word("histogramOf", { n: formatCount(total), low, high });
}

function heatOf({ key, urls }: Drawing): Promise<HeatReply> {
  const url = `${urls.heat}?${new URLSearchParams({ key })}`;
  const known = heats.get(url);
  if (known) return known;
  const asked = getJson<HeatReply>(url);
  heats.set(url, asked);
  asked.catch(() => heats.delete(url));
  for (const oldest of heats.keys()) {
    if (heats.size <= KEPT) break;
    heats.delete(oldest);
  }
  return asked;
}

function prepared(
  canvas: HTMLCanvasElement,
  height: number,
): [CanvasRenderingContext2D, number, string] | null {
  const width = canvas.clientWidth;
  const context = canvas.getContext("2d");
  if (!context || !width) return null;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  return [context, width, getComputedStyle(canvas).getPropertyValue("--run-color").trim() || "#6357df"];
}

function drawBars(canvas: HTMLCanvasElement, counts: number[]): void {
  const ready = prepared(canvas, BARS_HEIGHT);
  if (!ready) return;
  const [context, width, color] = ready;
  const most = Math.max(...counts, 1e-12);
  const step = width / counts.length;
  context.fillStyle = color;
  counts.forEach((count, i) => {
    const height = (count / most) * (BARS_HEIGHT - 2);
    context.fillRect(i * step, BARS_HEIGHT - height, Math.max(1, step - 1), height);
  });
}

function showHeat(canvas: HTMLCanvasElement, reply: HeatReply, drawing: Drawing): void {
  if (reply.steps.length < 2) {
    canvas.remove();
    return;
  }
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label",
    word("heatOf", { first: reply.steps[0] ?? 0, last: reply.steps.at(-1) ?? 0 }),
  );
  const ends = make("div", "media-axis num");
  for (const step of [reply.steps[0] ?? 0, reply.steps.at(-1) ?? 0])
    ends.append(make("span", "", word("stepNumber", { n: formatCount(step) })));
  canvas.after(ends);
  const draw = () => drawHeat(canvas, reply, drawing.step);
  new ResizeObserver(draw).observe(canvas);
  const stepOf = (event: MouseEvent) => stepAt(reply.steps, event.offsetX / canvas.clientWidth);
  canvas.addEventListener("click", (event) => drawing.goTo(stepOf(event)));
  canvas.addEventListener("mousemove", (event) => {
    canvas.title = word("stepNumber", { n: stepOf(event) });
  });
}

/** The step at a share of the width, 0 to 1. */
export function stepAt(steps: readonly number[], share: number): number {
  return steps[Math.max(0, Math.min(steps.length - 1, Math.floor(share * steps.length)))] ?? 0;
}

function drawHeat(canvas: HTMLCanvasElement, { steps, counts }: HeatReply, step: number): void {
  const ready = prepared(canvas, HEAT_HEIGHT);
  if (!ready) return;
  const [context, width, color] = ready;
  const across = width / counts.length;
  context.fillStyle = color;
  counts.forEach((column, i) => {
    const most = Math.max(...column, 1e-12);
    const down = HEAT_HEIGHT / column.length;
    column.forEach((count, j) => {
      if (count <= 0) return;
      context.globalAlpha = Math.sqrt(count / most);
      context.fillRect(i * across, HEAT_HEIGHT - (j + 1) * down, Math.ceil(across), Math.ceil(down));
    });
  });
  const at = steps.findLastIndex((known) => known <= step);
  context.globalAlpha = 1;
  context.strokeStyle = getComputedStyle(canvas).color;
  if (at >= 0) context.strokeRect(at * across + 0.5, 0.5, Math.max(1, across - 1), HEAT_HEIGHT - 1);
}
